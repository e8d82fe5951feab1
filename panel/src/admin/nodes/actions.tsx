import { ActionIcon, Menu } from '@mantine/core';
import IconDots from '@tabler/icons-react/icons/IconDots';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { sayFailed } from '../../servers/actions/toasts.tsx';
import { Question, useAsked } from '../../shell/question.tsx';
import { DeclareLostDialog } from './declare-lost.tsx';
import { type Node, nodeOperationQuery, nodesQuery, rememberOperation } from './queries.ts';
import { allowedOn } from './words.ts';

type Operation = 'evacuate' | 'restore';

const paramsOf = ({ name, location_id }: Node) => ({
  path: { name },
  query: { location_id },
});

interface ActionsProps {
  node: Node;
  operationId: number | undefined;
}

/** What can be done with a node now. */
export function NodeActions({ node, operationId }: ActionsProps) {
  const queries = useQueryClient();
  const { asked, ask, ...question } = useAsked<Operation>();
  const loss = useAsked<Node>();
  const { data: nodes = [] } = useQuery(nodesQuery({}));
  const { data: latest } = useQuery({
    ...nodeOperationQuery(operationId ?? 0),
    enabled: operationId !== undefined,
  });
  const isClustered = nodes.filter((one) => one.location_id === node.location_id).length > 1;
  const isReverted = latest?.kind === 'evacuate' && latest.status !== 'succeeded';
  const allowed = allowedOn(node, isClustered, isReverted);
  const read = () => queries.invalidateQueries({ queryKey: ['fleet'] });

  const cordoning = useMutation({
    mutationFn: (verb: 'cordon' | 'uncordon') =>
      berth.POST(`/v1/nodes/{name}/${verb}`, { params: paramsOf(node) }),
    onError: (error) => sayFailed(`${node.name} was not changed`, error),
    onSettled: read,
  });
  const start = async () => {
    if (!asked) return;
    const path = `/v1/nodes/{name}/${asked}` as const;
    const { data } = await berth.POST(path, { params: paramsOf(node) });
    rememberOperation(queries, { nodeId: node.id, operationId: data.operation.id });
    await read();
  };
  if (!Object.values(allowed).includes(true)) return null;
  return (
    <>
      <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={`Actions on ${node.name}`}
            loading={cordoning.isPending}
          >
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {allowed.cordon && (
            <Menu.Item onClick={() => cordoning.mutate('cordon')}>Cordon</Menu.Item>
          )}
          {allowed.uncordon && (
            <Menu.Item onClick={() => cordoning.mutate('uncordon')}>Uncordon</Menu.Item>
          )}
          {allowed.evacuate && <Menu.Item onClick={() => ask('evacuate')}>Evacuate…</Menu.Item>}
          {allowed.restore && <Menu.Item onClick={() => ask('restore')}>Restore…</Menu.Item>}
          {allowed.declareLost && (
            <Menu.Item color="red" onClick={() => loss.ask(node)}>
              Declare lost…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Question
        {...question}
        title={asked === 'restore' ? `Restore ${node.name}?` : `Evacuate ${node.name}?`}
        answer={asked === 'restore' ? 'Restore the node' : 'Evacuate the node'}
        act={start}
      >
        {asked === 'restore' ? <Restoring /> : <Evacuating />}
      </Question>
      <DeclareLostDialog node={node} isOpen={loss.isOpen} close={loss.close} />
    </>
  );
}

const Evacuating = () => (
  <>
    All its servers are moved to other nodes, four at a time. Containers that run are shut down and
    started again for that. Then the node is taken out of service, and can be switched off. Servers
    for which no other node has room stay.
  </>
);

const Restoring = () => (
  <>
    The node accepts servers again, and those that its evacuation has moved away are moved back.
    Containers that run are shut down and started again for that.
  </>
);
