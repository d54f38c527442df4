import type { Sender } from "../domain/command.ts";
import { type Role, roles } from "../domain/person.ts";
import type { Question, StoredQuestion } from "../domain/question.ts";
import { foldText } from "./text.ts";

/** Who speaks: `role` is absent for the owner of this machine, who may do everything. */
export type Speaking = { readonly sender: Sender; readonly role?: Role };

/**
 * May they answer this question, skip it, or send it back? Roles and names of `answerable_by`, compared as whom it rings is:
 * without case. By default every owner and member.
 */
export function mayAnswer(question: Pick<Question, "answerable_by">, { sender, role }: Speaking): boolean {
  if (role === undefined) return true;
  if (role === "viewer") return false;
  const named = question.answerable_by;
  if (named === undefined) return true;
  const name = sender.by === undefined ? undefined : foldText(sender.by);
  return named.map(foldText).some((each) => (isRole(each) ? each === role : each === name));
}

/** May they change the answer that stands? A member only their own. */
export function mayOverride({ question, answer }: StoredQuestion, speaking: Speaking): boolean {
  if (!mayAnswer(question, speaking)) return false;
  if (speaking.role !== "member" || !answer) return true;
  return answer.by !== undefined && answer.by === speaking.sender.by;
}

/** `an owner or mara`: who may answer. */
export function whoMayAnswer({ answerable_by: named }: Pick<Question, "answerable_by">): string {
  const words = (named ?? ["owner", "member"]).map((each) => {
    const role = foldText(each);
    return role === "owner" ? "an owner" : isRole(role) ? `a ${role}` : each;
  });
  return words.length === 0 ? "nobody but the owner of the machine" : words.join(" or ");
}

function isRole(text: string): text is Role {
  return roles.some((role) => role === text);
}
