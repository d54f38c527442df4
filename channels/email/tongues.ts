/** What mail programs write by themselves, in the languages that their people speak. All in lower case. */

const words = (text: string): readonly string[] => text.split("|").map((word) => word.trim());

/** Before the colon of an absence note's subject. */
export const absenceWords = words(
  "automatic reply|auto reply|auto-reply|autoreply|out of office|out of office autoreply|out of the office|" +
    "out-of-office|ooo|vacation|vacation reply|away from office|away from the office|on vacation|on leave|" +
    "automatische antwort|abwesenheitsnotiz|abwesend|abwesenheit|abwesenheitsnachricht|" +
    "réponse automatique|absence du bureau|absent du bureau|" +
    "respuesta automática|respuesta automatica|fuera de la oficina|" +
    "risposta automatica|fuori sede|fuori ufficio|" +
    "resposta automática|resposta automatica|fora do escritório|ausência temporária|" +
    "automatisch antwoord|automatisch beantwoord|afwezig|afwezigheidsbericht|" +
    "autosvar|automatiskt svar|automatisk svar|frånvarande|fravær|" +
    "automaattinen vastaus|poissaoloilmoitus|" +
    "automatyczna odpowiedź|autoodpowiedź|" +
    "automatická odpověď|automatická odpoveď|automatikus válasz|răspuns automat|raspuns automat|" +
    "automatski odgovor|samodejni odgovor|automatinis atsakymas|automātiskā atbilde|automaatvastus|" +
    "αυτόματη απάντηση|автоматический ответ|автоответ|автоматична відповідь|автоматичен отговор|" +
    "otomatik yanıt|ofis dışında|" +
    "自動応答|自動返信|不在通知|自动答复|自动回复|自動回覆|自動回復|자동 회신|자동 응답|부재중|" +
    "תשובה אוטומטית|رد تلقائي|trả lời tự động|ตอบกลับอัตโนมัติ",
);

/** Before the colon of what was passed on. Not `vs`: in Finnish that is a reply. */
export const forwardWords = words(
  "fwd|fw|wg|tr|rv|enc|i|vb|vl|pd|pfw|ilt|i̇lt|doorst|fs|προωθ|прв|пересл|пер|转发|轉寄|轉發|転送|전달|הועבר|إعادة توجيه",
);

/** The line over what is passed on, as a whole. */
export const forwardLines =
  /^[-_=\s>]*(?:begin forwarded message|forwarded message|forwarded mail|original-nachricht weitergeleitet|weitergeleitete nachricht|anfang der weitergeleiteten nachricht|message transféré|message transmis|début du message réexpédié|mensaje reenviado|inicio del mensaje reenviado|messaggio inoltrato|inizio messaggio inoltrato|mensagem encaminhada|mensagem reencaminhada|doorgestuurd bericht|vidarebefordrat meddelande|videresendt meddelelse|videresendt melding|välitetty viesti|wiadomość przekazana dalej|treść przekazanej wiadomości|přeposlaná zpráva|továbbított üzenet|mesaj redirecționat|пересылаемое сообщение|пересланное сообщение|переслане повідомлення|iletilen ileti|yönlendirilmiş ileti|转发邮件|轉寄郵件|転送メッセージ|転送されたメッセージ|전달된 메시지|הודעה שהועברה)[-_=\s:：]*$/iu;

/** How the line begins that says who wrote the quoted mail, and when. */
export const attributionStarts =
  /^(?:on|at|am|um|le|el|em|a|il|op|den|d\.|dne|dňa|dnia|w dniu|în|la|på|kl|ons|om|σ[το]|στις|во|в|на|у|tarihinde|vào|pada|ในวันที่|在|於|于|ב|في|بتاريخ|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*|понедельник|вторник|среда|четверг|пятница|суббота|воскресенье|[0-9０-９]{1,4}\s*[-./年])(?=[\s,.:0-9「"“<(-]|$)/iu;

/** How it ends, in languages in which it may hold neither time nor address. */
export const attributionEnds =
  /(?:wrote|writes|said|schrieb|schreibt|geschrieben|a écrit|ecrit|écrit|escribió|escribio|escreveu|ha scritto|scrisse|schreef|skrev|skrev följande|kirjoitti|napisał|napisał\(a\)|napisała|pisze|napsal|napsal\(a\)|napísal|írta|a scris|написал|написала|написав|пише|пишет|έγραψε|yazdı|şunu yazdı|viết|menulis|เขียน|さんは書きました|さんが書きました|のメッセージ|写道|寫道|님이 작성|님이 작성한 글|님의 말|כתב|كتب)\s*[:：]$/iu;

/** The line of a mail program that advertises itself; the device or program stands in it. */
export const advertisements: readonly RegExp[] = [
  /^(?:sent|get|enviado|enviada|envoyé|envoyee|envoyée|inviato|gesendet|von meinem|von mein|diese nachricht wurde von|verstuurd|verzonden|skickat|sendt|lähetetty|wysłane|wysłano|odesláno|odoslané|elküldve|trimis|отправлено|надіслано|изпратено|отримано|στάλθηκε|gönderildi|obter|obtener|télécharger|outlook für|outlook for|download|dikirim|đã gửi|được gửi)(?!\p{L}).{0,80}(?:iphon|ipad|ios|android|outlook|yahoo|samsung|galaxy|huawei|xiaomi|nokia|blackberry|windows|mail|proton|gmail|mobile|mobil|smartphone|handy|телефон|телефона|device|aol|gmx|web\.de|k-9|fairemail|tutanota|spark|aqua)\S*.{0,120}$/iu,
  /^(?:von meinem|envoyé de mon|enviado desde mi|enviado do meu|inviato dal mio|отправлено с|надіслано з)\s.{1,80}$/iu,
  /^.{0,40}(?:iphone|ipad|android|outlook|gmail|yahoo|iphon)\S{0,20}\s?(?:から送信|から送信しました|에서 보냄|에서 보낸|'(?:den|dan)? gönderildi|umdan gönderildi|발송)\s*\.?$/iu,
  /^(?:发自|發自|从|從|來自|来自|傳送自|从我的|나의).{1,40}$/u,
];
