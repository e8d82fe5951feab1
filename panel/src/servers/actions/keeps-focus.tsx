import { Box } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useRef } from 'react';

interface KeepsFocusProps {
  label: string;
  className: string | undefined;
  children: ReactNode;
}

/**
 * A group of buttons that come and go with the state of a server. If the one that has the focus disappears, the group gets
 * it, so that somebody who uses the keyboard goes on from there, and not from the beginning of the page.
 */
export function KeepsFocus({ label, className, children }: KeepsFocusProps) {
  const group = useRef<HTMLDivElement>(null);
  const isInside = useRef(false);
  useLayoutEffect(() => {
    if (isInside.current && document.activeElement === document.body) group.current?.focus();
  });
  return (
    <Box
      ref={group}
      className={className}
      role="group"
      aria-label={label}
      tabIndex={-1}
      // React does not tell when what has the focus is removed.
      onFocus={() => (isInside.current = true)}
      onBlur={() => (isInside.current = false)}
    >
      {children}
    </Box>
  );
}
