/**
 * What programs ask a terminal, which answers as if somebody typed (xterm's ctlseqs): what it is (`CSI c`, `ESC Z`), its
 * state, the place of its cursor (`CSI n`), modes (`CSI $ p`), its size (`CSI t`), colours (`OSC ... ?`), and settings (`DCS`).
 */
const [esc, bell] = ['\u001b', '\u0007'];
const end = String.raw`(?:${bell}|${esc}\\)`;
const questions = new RegExp(
  String.raw`${esc}(?:Z|\[[<-?]?[\d;]*(?:[cnx]|\$p|t)|\[>[\d;]*q|\][\d;]*;\?[^${bell}${esc}]*${end}|P[+$]q[^${esc}]*${end})`,
  'g',
);

/** Output without the questions in it, which have been answered before. */
export function withoutQuestions(bytes: Uint8Array): Uint8Array {
  // One character for each byte.
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return Uint8Array.from(text.replace(questions, ''), (one) => one.charCodeAt(0));
}
