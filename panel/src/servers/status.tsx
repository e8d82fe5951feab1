import { Progress } from '@mantine/core';
import type { Server } from '../live/apply.ts';
import { useActivity } from '../live/live.tsx';
import classes from './status.module.css';

/** The state of a server in a word. */
export const wordOf = ({ status, suspension, unavailable }: Server): string =>
  suspension ? 'suspended' : unavailable ? 'unavailable' : status;

/** The state of a server, or the operation in progress. */
export function ServerStatus({ server }: { server: Server }) {
  const activity = useActivity(server.id);
  const word = wordOf(server);
  return (
    <>
      <div className={classes.state}>
        <span className={classes.dot} data-status={word} aria-hidden />
        {word}
      </div>
      {activity && (
        <>
          <div className={classes.activity} title={activity.message}>
            {activity.message}
          </div>
          <Progress value={activity.progress} size="xs" mt={2} aria-label={activity.message} />
        </>
      )}
    </>
  );
}
