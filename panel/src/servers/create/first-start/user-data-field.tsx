import { Box, Textarea } from '@mantine/core';
import { useRef } from 'react';
import { userDataExamples } from './examples.ts';
import classes from './first-start.module.css';
import { InsertExample } from './insert-example.tsx';
import { sizeOfUserData } from './size.ts';

interface UserDataProps {
  value: string;
  change: (value: string) => void;
  error: string | undefined;
}

/** What cloud-init carries out at the first boot. */
export function UserDataField({ value, change, error }: UserDataProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const insert = (text: string) => {
    change(text);
    field.current?.focus();
  };
  // What somebody has written is not replaced.
  const isReplaceable = !value.trim() || userDataExamples.some(({ text }) => text === value);
  return (
    <Box>
      <Textarea
        ref={field}
        label="User data"
        description={
          <>
            cloud-init carries it out before the commands: a <code>#cloud-config</code>, a script
            with <code>#!</code>, or another format that it knows. It has {sizeOfUserData(value)}.
          </>
        }
        className={classes.editor}
        spellCheck={false}
        autosize
        minRows={3}
        maxRows={20}
        value={value}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        error={error}
      />
      {isReplaceable && (
        <Box mt="xs">
          <InsertExample what="example user data" examples={userDataExamples} insert={insert} />
        </Box>
      )}
    </Box>
  );
}
