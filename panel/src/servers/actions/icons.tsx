import type { Server } from '../../live/apply.ts';
import { useMayChange } from '../../session/may-change.ts';
import { allowedFor, words } from './actions.ts';
import classes from './buttons.module.css';
import { KeepsFocus } from './keeps-focus.tsx';
import { icons } from './power-icons.ts';
import { useActions } from './provider.tsx';

/** The actions that a server allows now, as small buttons. A list has many of them, so that they are plain elements. */
export function ActionIcons({ server }: { server: Server }) {
  const ask = useActions();
  if (!useMayChange()) return null;
  return (
    <KeepsFocus label={`Actions of ${server.hostname}`} className={classes.icons}>
      {allowedFor(server).map((action) => {
        const [Icon, { name }] = [icons[action], words[action]];
        return (
          <button
            key={action}
            type="button"
            className={classes.icon}
            title={name}
            aria-label={`${name} ${server.hostname}`}
            onClick={() => ask(action, [server])}
          >
            <Icon size={18} aria-hidden />
          </button>
        );
      })}
    </KeepsFocus>
  );
}
