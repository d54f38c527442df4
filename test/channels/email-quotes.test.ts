import { describe, expect, test } from "vitest";
import { delimiter } from "../../channels/email/delimiter.ts";
import { writtenIn } from "../../channels/email/said.ts";
import { ours } from "../email/letters.ts";

/** What stands between an answer and our own mail, as mail programs write it. */
const attributions = [
  `On Mon, Jul 6, 2026 at 11:00 PM owlpost <${ours}> wrote:`,
  `On Mon, Jul 6, 2026 at 11:00 PM owlpost on a machine with a long name <\n${ours}> wrote:`,
  `On 6 Jul 2026, at 23:00, owlpost <${ours}> wrote:`,
  `On Mon, 6 Jul 2026, at 11:00 PM, owlpost wrote:`,
  `On 06/07/2026 23:00, owlpost wrote:`,
  `On 2026-07-06 23:00, owlpost wrote:`,
  `On 6 July 2026 23:00:00 CEST, owlpost <${ours}> wrote:`,
  `On July 6, 2026, owlpost <${ours}> wrote:`,
  `------- Original Message -------\nOn Monday, July 6th, 2026 at 11:00 PM, owlpost <${ours}> wrote:`,
  `* owlpost <${ours}> [2026-07-06 23:00]:`,
  `owlpost <${ours}> writes:`,
  `owlpost <${ours}> wrote on 06/07/2026 23:00:00:`,
  `Am Mo., 6. Juli 2026 um 23:00 Uhr schrieb owlpost <\n${ours}>:`,
  `Am 06.07.26 um 23:00 schrieb owlpost:`,
  `Am 06.07.2026 um 23:00 schrieb owlpost <${ours}>:`,
  `Le lun. 6 juil. 2026 à 23:00, owlpost <${ours}> a\nécrit :`,
  `Le 06/07/2026 à 23:00, owlpost a écrit\u00a0:`,
  `El lun, 6 jul 2026 a las 23:00, owlpost (<${ours}>)\nescribió:`,
  `Em seg., 6 de jul. de 2026 às 23:00, owlpost <${ours}>\nescreveu:`,
  `Il giorno lun 6 lug 2026 alle ore 23:00 owlpost <\n${ours}> ha scritto:`,
  `Il 06/07/2026 23:00, owlpost ha scritto:`,
  `Op ma 6 jul 2026 om 23:00 schreef owlpost <${ours}>:`,
  `Den mån 6 juli 2026 kl 23:00 skrev owlpost <${ours}>:`,
  `Den man. 6. jul. 2026 kl. 23.00 skrev owlpost <${ours}>:`,
  `man. 6. juli 2026 kl. 23:00 skrev owlpost <${ours}>:`,
  `ma 6. heinäk. 2026 klo 23.00 owlpost (${ours}) kirjoitti:`,
  `pon., 6 lip 2026 o 23:00 owlpost <${ours}> napisał(a):`,
  `W dniu 06.07.2026 o 23:00, owlpost pisze:`,
  `po 6. 7. 2026 v 23:00 odesílatel owlpost <${ours}> napsal:`,
  `owlpost <${ours}> ezt írta (időpont: 2026. júl. 6., H, 23:00):`,
  `În lun., 6 iul. 2026 la 23:00, owlpost <${ours}> a scris:`,
  `пн, 6 июл. 2026 г. в 23:00, owlpost <${ours}>:`,
  `06.07.2026, 23:00, "owlpost" <${ours}>:`,
  `06.07.2026 23:00, owlpost пишет:`,
  `пн, 6 лип. 2026 р. о 23:00 owlpost <${ours}> пише:`,
  `Στις Δευ 6 Ιουλ 2026 στις 11:00 μ.μ., ο χρήστης owlpost <${ours}> έγραψε:`,
  `owlpost <${ours}>, 6 Tem 2026 Pzt, 23:00 tarihinde şunu yazdı:`,
  `2026年7月6日(月) 23:00 owlpost <${ours}>:`,
  `owlpost さんは書きました:`,
  `owlpost <${ours}> 于2026年7月6日周一 23:00写道：`,
  `owlpost <${ours}> 於 2026年7月6日 週一 下午11:00寫道：`,
  `在 2026-07-06 23:00:00，"owlpost" <${ours}> 写道：`,
  `2026년 7월 6일 (월) 오후 11:00, owlpost <${ours}>님이 작성:`,
  `\u202bבתאריך יום ב׳, 6 ביולי 2026 ב-23:00 מאת \u202aowlpost\u202c\u200f <\u202a${ours}\u202c\u200f>:\u202c`,
  `في الاثنين، 6 يوليو 2026 في 11:00 م تمت كتابة ما يلي بواسطة owlpost <\n${ours}>:`,
  `ในวันที่ จ. 6 ก.ค. 2026 เวลา 23:00 owlpost <${ours}> เขียนว่า:`,
  `Vào Th 2, 6 thg 7, 2026 vào lúc 23:00 owlpost <${ours}> đã viết:`,
  `Pada tanggal Sen, 6 Jul 2026 pukul 23.00 owlpost <${ours}> menulis:`,
];

const block = (from: string, sent: string, to: string, subject: string): string =>
  [
    `${from}: owlpost <${ours}>`,
    `${sent}: 2026-07-06 23:00`,
    `${to}: Eric Vogel <eric@example.org>`,
    `${subject}: [q-a3f2-012-fix-auth-1] Token refresh strategy for the auth middleware?`,
  ].join("\n");

const blocks = [
  block("From", "Sent", "To", "Subject"),
  `________________________________\n${block("From", "Sent", "To", "Subject")}`,
  `-----Original Message-----\n${block("From", "Sent", "To", "Subject")}`,
  `-------- Original message --------\n${block("From", "Date", "To", "Subject")}`,
  `${"_".repeat(32)}\n\n${block("*From*", "*Sent*", "*To*", "*Subject*")}`,
  block("Von", "Gesendet", "An", "Betreff"),
  `-----Ursprüngliche Nachricht-----\n${block("Von", "Gesendet", "An", "Betreff")}`,
  block("De ", "Envoyé ", "À ", "Objet "),
  block("De", "Enviado el", "Para", "Asunto"),
  block("Da", "Inviato", "A", "Oggetto"),
  block("De", "Enviada em", "Para", "Assunto"),
  block("Van", "Verzonden", "Aan", "Onderwerp"),
  block("Från", "Skickat", "Till", "Ämne"),
  block("Fra", "Sendt", "Til", "Emne"),
  block("Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"),
  block("Od", "Wysłano", "Do", "Temat"),
  block("Od", "Odesláno", "Komu", "Předmět"),
  block("От", "Отправлено", "Кому", "Тема"),
  block("Від", "Надіслано", "Кому", "Тема"),
  block("Από", "Στάλθηκε", "Προς", "Θέμα"),
  block("Kimden", "Gönderildi", "Kime", "Konu"),
  `------------------ 原始邮件 ------------------\n${block("发件人", "发送时间", "收件人", "主题")}`,
  block("寄件者", "寄件日期", "收件者", "主旨"),
  block("差出人", "送信日時", "宛先", "件名"),
  block("보낸 사람", "보낸 날짜", "받는 사람", "제목"),
  block("מאת", "נשלח", "אל", "נושא"),
  block("من", "تم الإرسال", "إلى", "الموضوع"),
];

const question = [
  "",
  "[q-a3f2-012-fix-auth-1] owlpost needs a decision",
  "",
  "1) Rotate",
  "2) Extend",
  "3) Neither",
];
const ourMail = [delimiter, ...question];
const cutMail = question;
const prefixed = (lines: readonly string[]): string => lines.map((line) => `> ${line}`.trimEnd()).join("\n");
const answer = "2\n\nbut keep it short";
const wanted = { line: "2", comment: "but keep it short", forwarded: false };

describe("field 42: what mail programs put between an answer and our mail is no part of it", () => {
  test.each(attributions)("%s", (attribution) => {
    const inQuote = prefixed(attribution.split("\n"));
    for (const text of [
      `${answer}\n\n${attribution}\n\n${prefixed(ourMail)}\n`,
      `${answer}\n${attribution}\n${prefixed(ourMail)}`,
      `${answer}\n\n${attribution}\n\n${ourMail.join("\n")}`,
      `${answer}\n\n${inQuote}\n>\n${prefixed(ourMail)}`,
      `${answer}\n\n${attribution}\n\n${prefixed(ourMail)}\n\n3\n`,
      // The line above which one writes is gone.
      `${answer}\n\n${attribution}\n\n${prefixed(cutMail)}\n`,
    ]) {
      expect(writtenIn(text, ours), text).toEqual(wanted);
      expect(writtenIn(text.replaceAll("\n", "\r\n"), ours), text).toEqual(wanted);
    }
  });

  test.each(blocks)("%s", (headers) => {
    for (const text of [
      `${answer}\n\n${headers}\n\n${ourMail.join("\n")}\n`,
      `${answer}\n\n\n\n${headers}\n${ourMail.join("\n")}\n`,
      `${answer}\n\n${prefixed(headers.split("\n"))}\n>\n${prefixed(ourMail)}\n`,
      `${answer}\n\n${headers}\n\n${cutMail.join("\n")}\n`,
    ]) {
      expect(writtenIn(text, ours), text).toEqual(wanted);
    }
  });

  test("below the line, between the lines, or below a quote nothing is read", () => {
    const attribution = attributions[0];
    for (const text of [
      `${attribution}\n${prefixed(ourMail)}\n\n2\n`,
      `${ourMail.join("\n")}\n2`,
      `${delimiter}\n2\n`,
      `${attribution}\n${prefixed(ourMail.slice(0, 5))}\n\n2\n\n${prefixed(ourMail.slice(5))}\n`,
      `\ufeff> > ${delimiter}\u00a0\n2`,
    ]) {
      expect(writtenIn(text, ours), text).toMatchObject({ line: "", comment: "" });
    }
    // Without our line nobody knows where the quote ends: what comes first is no answer, so that it is asked about.
    expect(writtenIn(`${attribution}\n${prefixed(cutMail)}\n\n2\n`, ours).line).toBe(attribution);
  });
});

describe("field 43: what somebody quotes by hand stays", () => {
  test.each([
    ["above the line", `2\n\n> 2) Extend\nThat one is fine.\n\n${attributions[0]}\n${prefixed(ourMail)}`],
    ["without any line", "2\n\n> 2) Extend\nThat one is fine.\n"],
  ])("%s", (_where, text) => {
    expect(writtenIn(text, ours)).toEqual({
      line: "2",
      comment: "> 2) Extend\nThat one is fine.",
      forwarded: false,
    });
  });

  test("at its end, and before the answer, too", () => {
    expect(writtenIn("2\n\nas you say:\n\n> Extend\n", ours).comment).toBe("as you say:\n\n> Extend");
    expect(writtenIn("> Extend\n\n2\n", ours)).toMatchObject({ line: "2", comment: "> Extend" });
  });
});

describe("signatures and advertisements", () => {
  test.each([
    "-- \nEric Vogel\nexample.org",
    "--\nEric",
    "Sent from my iPhone",
    "Get Outlook for iOS<https://aka.ms/o0ukef>",
    "Sent from Outlook for Android",
    "Von meinem iPhone gesendet",
    "Gesendet von Outlook für iOS",
    "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
    "Envoyé de mon iPhone",
    "Envoyé depuis l'application Mail pour Windows",
    "Enviado desde mi iPhone",
    "Enviado do meu iPhone",
    "Inviato da iPhone",
    "Verstuurd vanaf mijn iPhone",
    "Skickat från min iPhone",
    "Sendt fra min iPhone",
    "Lähetetty iPhonesta",
    "Wysłane z iPhone’a",
    "Odesláno z iPhonu",
    "Отправлено с iPhone",
    "Надіслано з iPhone",
    "iPhone’umdan gönderildi",
    "iPhoneから送信",
    "发自我的 iPhone",
    "從我的 iPhone 傳送",
    "나의 iPhone에서 보냄",
    "Sent with Proton Mail secure email.",
    "Sent from Yahoo Mail on Android",
    "Sent from my Galaxy",
  ])("%s", (signature) => {
    for (const text of [
      `2\n\n${signature}\n`,
      `2\n\n${signature}\n\n${attributions[0]}\n${prefixed(ourMail)}`,
    ]) {
      expect(writtenIn(text, ours), text).toEqual({ line: "2", comment: "", forwarded: false });
    }
  });

  test("what looks like one in the middle of a comment stays", () => {
    const text = "2\n\nThe mails that are\nsent from my iPhone\nget lost, by the way.";
    expect(writtenIn(text, ours).comment).toContain("sent from my iPhone");
    expect(writtenIn("Sent from my iPhone", ours).line).toBe("");
  });
});

describe("what is passed on", () => {
  test.each([
    "---------- Forwarded message ---------",
    "Begin forwarded message:",
    "-------- Weitergeleitete Nachricht --------",
    "Anfang der weitergeleiteten Nachricht:",
    "---------- Message transféré ----------",
    "---------- Mensaje reenviado ---------",
    "-------- Пересылаемое сообщение --------",
    "---------- 转发邮件 ----------",
  ])("%s", (rule) => {
    const text = `2\n\n${rule}\n${blocks[0]}\n\n${ourMail.join("\n")}`;
    expect(writtenIn(text, ours)).toMatchObject({ forwarded: true });
  });
});

test("lines end in any way, and what is long is cut", () => {
  expect(writtenIn("2\r\rmore\u2028and more", ours)).toMatchObject({ line: "2", comment: "more\nand more" });
  const long = writtenIn(`2\n${"x".repeat(100_000)}`, ours);
  expect(long.comment).toHaveLength(16_000);
  expect(long.comment.endsWith("…")).toBe(true);
});
