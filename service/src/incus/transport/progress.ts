/** The progress of an operation of Incus. */
export interface OperationProgress {
  /** 0 to 1 within the current stage; missing if Incus reports only a speed or an amount. */
  fraction?: number;
  /** Incus's own words: `rootfs: 45% (10.00MB/s)`. */
  text: string;
}

/**
 * Parses the progress from an operation's metadata, where Incus stores it as text under
 * `<stage>_progress` (`download_progress`, `create_instance_from_image_unpack_progress`, …); null
 * if there is none.
 */
export function parseProgress(metadata: Record<string, unknown> | null): OperationProgress | null {
  const texts = Object.entries(metadata ?? {}).flatMap(([key, value]) =>
    key.endsWith('_progress') && typeof value === 'string' ? [[key, value] as const] : [],
  );
  // Stages follow each other and the earlier ones stay; the map is not ordered.
  const [, text] = texts.find(([key]) => key === currentStage(metadata)) ?? texts.at(-1) ?? [];
  if (text === undefined) return null;
  const fraction = fractionOf(text);
  return fraction === undefined ? { text } : { fraction, text };
}

/** `progress.stage` names the stage that was reported last (`SetProgressMetadata` in Incus). */
function currentStage(metadata: Record<string, unknown> | null): string | undefined {
  const progress = metadata?.progress;
  if (typeof progress !== 'object' || progress === null || !('stage' in progress)) return undefined;
  return `${progress.stage}_progress`;
}

function fractionOf(text: string): number | undefined {
  // An image consists of two files, and the first is tiny: its 100% says nothing about the whole.
  if (text.startsWith('metadata:')) return undefined;
  const percent = /(\d{1,3})%/.exec(text)?.[1];
  return percent === undefined ? undefined : Math.min(Number(percent), 100) / 100;
}
