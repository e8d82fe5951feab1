import { Button, Progress, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { berth } from '../../api/berth.ts';
import { locationsQuery } from '../../api/queries.ts';
import { inBackground } from '../../background.ts';
import { disk, memory } from '../../format/units.ts';
import { sayFailed } from '../../servers/actions/toasts.tsx';
import { List } from '../../shell/list.tsx';
import { Failure, Loading } from '../../shell/messages.tsx';
import { Missing } from '../../shell/missing.tsx';
import { Page } from '../../shell/page.tsx';
import { Time } from '../../shell/time.tsx';
import {
  allSystemsQuery,
  type Image,
  imagesQuery,
  isComing,
  type OperatingSystem,
} from './queries.ts';

const route = getRouteApi('/signed-in/admin/operating-systems/$id');

/** An operating system, and which locations have its image. */
export function SystemPage() {
  const id = Number(route.useParams().id);
  const { data: systems, error, refetch } = useQuery(allSystemsQuery);
  const system = systems?.find((one) => one.id === id);
  if (systems && !system) return <Missing what="operating system" to="/admin/operating-systems" />;
  return (
    <Page title={system ? `${system.name} ${system.version}` : 'Operating system'}>
      {error && !systems && (
        <Failure
          title="The operating system cannot be shown"
          error={error}
          retry={() => inBackground(refetch())}
        />
      )}
      {!systems && !error && <Loading />}
      {system && <Images system={system} />}
    </Page>
  );
}

function Images({ system }: { system: OperatingSystem }) {
  const { id, slug, architecture, minimum } = system;
  const queries = useQueryClient();
  const locations = useQuery(locationsQuery);
  const { data: images = [] } = useQuery(imagesQuery(id));
  const importing = useMutation({
    mutationFn: (location_id: number) =>
      berth.POST('/v1/operating-systems/{id}/images', {
        params: { path: { id } },
        body: { location_id },
      }),
    onError: (error) => sayFailed('The image is not imported', error),
    onSettled: () => queries.invalidateQueries(imagesQuery(id)),
  });
  const imageAt = (locationId: number) => images.find((one) => one.location_id === locationId);
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {slug}, {architecture}, for servers with at least {memory(minimum.ram)} of memory and{' '}
        {disk(minimum.disk)} of disk
      </Text>
      <Title order={2} size="h3">
        Images
      </Title>
      <List
        name="images"
        query={locations}
        columns={[
          { name: 'Location', show: ({ name }) => name },
          { name: 'Image', show: (location) => <State image={imageAt(location.id)} /> },
          {
            name: 'Requested',
            show: (location) => {
              const image = imageAt(location.id);
              return image && <Time at={image.requested_at} relative />;
            },
          },
        ]}
        actions={(location) => {
          const image = imageAt(location.id);
          if (image && (isComing(image) || image.status === 'ready')) return null;
          return (
            <Button
              variant="default"
              size="xs"
              loading={importing.isPending && importing.variables === location.id}
              onClick={() => importing.mutate(location.id)}
            >
              Import<span className="sr-only"> to {location.name}</span>
            </Button>
          );
        }}
      />
    </Stack>
  );
}

function State({ image }: { image: Image | undefined }) {
  if (!image) return 'when a server first needs it';
  const { status, message, progress } = image;
  if (status === 'ready') return 'ready';
  return (
    <>
      <Text size="sm" {...(status === 'failed' && { c: 'var(--mantine-color-error)' })}>
        {message}
      </Text>
      {isComing(image) && <Progress value={progress} size="sm" aria-label={message} />}
    </>
  );
}
