import { lazyRouteComponent } from '@tanstack/react-router';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { inBackground } from '../../background.ts';
import { useWhenAsked } from '../../shell/later.ts';
import { act, type Target } from './act.ts';
import { type PowerAction, questionOf } from './actions.ts';
import type { Asked } from './question.tsx';

type Ask = (action: PowerAction, servers: readonly Target[]) => void;

const ActionsContext = createContext<Ask>(() => undefined);
/** Loaded when it is first asked. */
const Question = lazyRouteComponent(() => import('./question.tsx'), 'Question');

/** Carries out actions, and asks before those that interrupt a server. */
export function ActionsProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked>();
  const [isOpen, setOpen] = useState(false);
  const ask = useCallback<Ask>((action, servers) => {
    if (!questionOf(action, servers)) return inBackground(act(action, servers));
    const group = document.activeElement?.closest<HTMLElement>('[role="group"]');
    setAsked({ action, servers, group });
    setOpen(true);
  }, []);
  const close = () => setOpen(false);
  const hasQuestion = useWhenAsked(Question, isOpen, close);
  return (
    <ActionsContext value={ask}>
      {children}
      {asked && hasQuestion && <Question asked={asked} isOpen={isOpen} close={close} />}
    </ActionsContext>
  );
}

export const useActions = (): Ask => useContext(ActionsContext);
