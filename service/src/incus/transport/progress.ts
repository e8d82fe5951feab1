/** The progress of an operation of Incus. */
export interface OperationProgress {
  /** The fraction of the current stage, from 0 to 1; missing if Incus reports only a speed or an amount. */
  fraction?: number;
  /** The text of Incus: `rootfs: 45% (10.00MB/s)`. */
  text: string;
}

/**
 * Parses the progress in the metadata of an operation, where Incus stores it as text with keys such as
 * `download_progress` and `create_instance_from_image_unpack_progress`. Null if there is none.
 */
export function parseProgress(metadata: Record<string, unknown> | null): OperationProgress | null {
  const texts = Object.entries(metadata ?? {}).flatMap(([key, value]) =>
    key.endsWith('_progress') && typeof value === 'string' ? [[key, value] as const] : [],
  );
  // Earlier stages remain in the metadata, and the keys are not ordered.
  const [, text] = texts.find(([key]) => key === currentStage(metadata)) ?? texts.at(-1) ?? [];
  if (text === undefined) return null;
  const fraction = fractionOf(text);
  return fraction === undefined ? { text } : { fraction, text };
}

/** Finds the key of the current stage, which `progress.stage` names (`SetProgressMetadata` in Incus). */
function currentStage(metadata: Record<string, unknown> | null): string | undefined {
  const progress = metadata?.progress;
  if (typeof progress !== 'object' || progress === null || !('stage' in progress)) return undefined;
  return `${progress.stage}_progress`;
}

function fractionOf(text: string): number | undefined {
  // An image consists of two files. The first one is small, so that its progress is not that of the image.
  if (text.startsWith('metadata:')) return undefined;
  const percent = /(\d{1,3})%/.exec(text)?.[1];
  return percent === undefined ? undefined : Math.min(Number(percent), 100) / 100;
}
