import { Code } from '@mantine/core';
import classes from './code-block.module.css';

/** Text that a program has written, or is for one. It scrolls if it is long, also with the keyboard. */
export function CodeBlock({ label, children }: { label: string; children: string }) {
  return (
    <Code block className={classes.block} tabIndex={0} role="region" aria-label={label}>
      {children}
    </Code>
  );
}
