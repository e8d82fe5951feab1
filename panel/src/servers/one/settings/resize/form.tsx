import { Checkbox, List, NativeSelect } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { berth } from '../../../../api/berth.ts';
import { fieldErrors } from '../../../../api/field-errors.ts';
import { locationsQuery } from '../../../../api/queries.ts';
import type { Server } from '../../../../live/apply.ts';
import { useOwnProject } from '../../../../session/own-project.ts';
import { Form } from '../../../../shell/form.tsx';
import { announce } from '../../../actions/act.ts';
import { sizesQuery } from '../../../create/queries.ts';
import { sizesAt } from '../../../create/sizes/offered.ts';
import { NotNow } from '../not-now.tsx';
import { Parts } from './parts.tsx';
import { bodyOf, choicesOf, effectsOf, fields as names, type Wanted, wantedOf } from './wanted.ts';

/** Gives a server another size of its location, or its own number of cores, memory and disk. */
export function ResizeForm({ server }: { server: Server }) {
  const [edited, setEdited] = useState<Wanted>();
  const { data: sizes = [] } = useQuery(sizesQuery);
  const { data: locations } = useQuery(locationsQuery);
  const { data: project } = useOwnProject();
  const resizing = useMutation({
    mutationFn: async (body: ReturnType<typeof bodyOf>) => {
      const params = { path: { id: server.id } };
      return (await berth.POST('/v1/servers/{id}/resize', { params, body })).data;
    },
    onSuccess: (begun) => {
      setEdited(undefined);
      announce('resize', server, begun);
    },
  });
  const wanted = edited ?? wantedOf(server);
  const set = (changed: Partial<Wanted>) => setEdited({ ...wanted, ...changed });
  const { error, isPending } = resizing;
  const { fields, rest } = fieldErrors(error, names);

  const location = locations?.find(({ id }) => id === server.location_id);
  const offered = sizesAt(sizes, server.location_id);
  // Until the project is known, nothing is offered that it may forbid.
  const isRequired = project?.sizes_only ?? true;
  const size = offered.find(({ id }) => String(id) === wanted.size);
  const effects = effectsOf(wanted, size, server);
  const isAllowed = server.allowed_actions.includes('resize');
  return (
    <Form
      title="Size"
      button="Resize"
      submit={() => resizing.mutate(bodyOf(wanted))}
      isOff={!isAllowed || effects.length === 0}
      {...{ isPending, error, rest }}
    >
      {(offered.length > 0 || server.size) && (
        <NativeSelect
          label="New size"
          data={choicesOf(server, offered, isRequired)}
          value={wanted.size}
          onChange={({ currentTarget }) => set({ size: currentTarget.value })}
          error={fields.size}
        />
      )}
      {!wanted.size && !isRequired && (
        <Parts {...{ wanted, server, set }} errors={fields} limits={location?.limits} />
      )}
      {size && size.disk > server.specifications.disk && (
        <Checkbox
          label="Keep the disk as it is"
          description="The server can then get a smaller size again."
          checked={wanted.keep_disk}
          onChange={({ currentTarget }) => set({ keep_disk: currentTarget.checked })}
          error={fields.keep_disk}
        />
      )}
      <Checkbox
        label="Move it if its node has no room"
        description="A running server is shut down for that, and started on another node."
        checked={wanted.allow_move}
        onChange={({ currentTarget }) => set({ allow_move: currentTarget.checked })}
        error={fields.allow_move}
      />
      {effects.length > 0 && (
        <div role="status">
          <List size="sm">
            {effects.map((effect) => (
              <List.Item key={effect}>{effect}</List.Item>
            ))}
          </List>
        </div>
      )}
      {!isAllowed && <NotNow server={server} />}
    </Form>
  );
}
