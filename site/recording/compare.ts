/** The transcript in a picture, or `undefined` if it has none. */
export const transcriptIn = (svg: string): string[] | undefined =>
  /<desc id="d">([\s\S]*?)<\/desc>/
    .exec(svg)?.[1]
    ?.replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .split('\n');

/** A transcript without what differs each time: numbers such as addresses and ages, and the widths that follow from them. */
export const comparable = (transcript: readonly string[] = []): string[] =>
  transcript.map((line) =>
    line
      .replaceAll(/[\da-f:.]*\d[\da-f:.]*/g, '0')
      // How long something took depends on the machine.
      .replaceAll(/\b0 ?(?:ms|[smhd])\b/g, '0')
      .replaceAll(/\b0(?: 0)+\b/g, '0')
      .replaceAll(/[ ─]+/g, ' ')
      .trim(),
  );
