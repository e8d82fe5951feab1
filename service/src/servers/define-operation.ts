import { operationsOn, type StepContext } from '../operations/define.ts';
import { isOfServer, type ServerOperationRow } from '../operations/queries.ts';
import { type ServerForOperation, serverForOperation } from './operation-queries.ts';

type Row = ServerOperationRow;
interface About {
  server: ServerForOperation;
}

/** The context of a step of an operation on a server. */
export type ServerStepContext<State> = StepContext<State, Row, About>;

/** Defines a kind of operation on a server. */
export const defineServerOperation = operationsOn<Row, About>({
  subject: 'server',
  isOf: isOfServer,
  isSteady: true,
  async load(db, { server_id: id }) {
    const server = await serverForOperation(db, id);
    const { locationId, node, isAway } = server;
    return { about: { server }, locationId, away: isAway ? node : undefined };
  },
});

export type ServerOperationKind = ReturnType<typeof defineServerOperation<Record<string, unknown>>>;
