import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

interface TypedOptions {
  /** What the URL has now. */
  value: string;
  change: (text: string) => void;
  /** What the URL has for what was typed, which is without spaces around it. */
  read?: (text: string) => string;
  pauseMs?: number;
}

const withoutSpaces = (text: string) => text.trim();

/** The text of a filter in the URL, which is applied when somebody pauses typing. */
export function useTyped({ value, change, read = withoutSpaces, pauseMs = 300 }: TypedOptions) {
  const [typed, setTyped] = useState(value);
  const applied = useRef(value);
  const apply = useDebouncedCallback((text: string) => {
    applied.current = read(text);
    change(text);
  }, pauseMs);
  useEffect(() => {
    // What was typed here stays as it is, also if somebody has gone on typing.
    if (value === applied.current) return;
    // Going back in the history, or clearing the filters.
    apply.cancel();
    applied.current = value;
    setTyped(value);
  }, [value, apply]);
  const type = (text: string) => {
    setTyped(text);
    apply(text);
  };
  return [typed, type] as const;
}
