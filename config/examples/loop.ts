/**
 * A loop in TypeScript that asks and goes on. Run it with: npx tsx loop.ts
 * Only the task that asked waits; the others are worked on meanwhile.
 */
import { type Decision, openOwlpost } from "owlpost";

const owlpost = await openOwlpost();
const tasks = ["012-fix-auth", "013-search-index"];

const asked = await owlpost.ask(
  {
    task: "012-fix-auth",
    title: "Token refresh strategy for the auth middleware?",
    context: "Sessions must survive a browser restart, the schema may not change. See `src/auth/session.ts`.",
    tried: "Cookies only: `tests/auth.spec.ts` still fails.",
    options: [
      {
        key: "1",
        label: "Refresh-token rotation",
        consequence: "No schema change, about 120 lines",
        recommended: true,
        reversible: true,
      },
      { key: "2", label: "Extend the TTL to 30 days", consequence: "Trivial diff, weaker security" },
    ],
    default: { action: "skip_spec", at: "8h" },
    facts: { command: "npm test", exit_code: 1 },
  },
  // The same key is the same question: a loop that was restarted asks nothing twice.
  { key: "auth-1", run: "a3f2" },
);

if (asked.ok) console.log(`asked ${asked.id}, until ${asked.deadline.toISOString()}`);
else if (asked.error === "rejected") {
  for (const { field, mend } of asked.broken) console.error(`${field}: ${mend}`);
  process.exit(2);
} else throw new Error(asked.message);

/** What a decision means for its task. */
function carryOut(decision: Decision): void {
  console.log(decision.told);
  switch (decision.outcome) {
    case "answered":
    case "overridden":
      console.log(`${decision.task} goes on with: ${decision.label ?? decision.text}`);
      break;
    case "retried":
      console.log(`${decision.task} runs again`);
      break;
    default:
      // Skipped by a person, or nobody answered: never a yes.
      console.log(`${decision.task} stays as it is`);
  }
}

// Called for every decision as it comes, also for one that came before; confirmed when it returns.
const decided = new Promise<void>((done) => {
  const stop = owlpost.onDecision({ task: "012-fix-auth" }, (decision) => {
    carryOut(decision);
    stop();
    done();
  });
});
console.log(`working on ${tasks[1]} meanwhile`);
await decided;
await owlpost.close();
