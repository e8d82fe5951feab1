import { operationsOn, type StepContext } from '../operations/define.ts';
import { isOfNode, type NodeOperationRow } from '../operations/queries.ts';
import { type NodeForOperation, nodeForOperation } from './operation-queries.ts';

type Row = NodeOperationRow;
interface About {
  node: NodeForOperation;
}

/** The context of a step of an operation on a node. */
export type NodeStepContext<State> = StepContext<State, Row, About>;

/** Defines a kind of operation on a node. A node has one operation at a time. */
export const defineNodeOperation = operationsOn<Row, About>({
  subject: 'node',
  isOf: isOfNode,
  // A restore sees in one step what the step before has changed.
  isSteady: false,
  async load(db, { node_id: id }) {
    const node = await nodeForOperation(db, id);
    return { about: { node }, locationId: node.locationId };
  },
});
