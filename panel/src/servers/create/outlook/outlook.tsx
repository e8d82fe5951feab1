import type { components } from '@berth/client';
import { Card, Loader, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fact, Facts } from '../../../shell/facts.tsx';
import type { Values } from '../form.ts';
import { sizesQuery } from '../queries.ts';
import { priceInWords } from '../sizes/price.ts';
import { useDryRun } from './dry-run.ts';

/** What the create would do, as far as the form is filled in. */
export function Outlook({ values }: { values: Values }) {
  const { isAsked, isChecking, outcome } = useDryRun(values);
  const { plan, obstacles = [] } = outcome ?? {};
  return (
    <Card withBorder component="section" aria-label="What would be created">
      <Title order={2} size="h5" mb="sm">
        What would be created {isAsked && isChecking && <Loader size={12} aria-hidden />}
      </Title>
      <Stack gap="sm" role="status" aria-busy={isAsked && isChecking}>
        {!isAsked && <Text size="sm">Enter a name to see where the server would run.</Text>}
        {isAsked && plan && <Plan plan={plan} size={values.size} />}
        {isAsked && obstacles.length > 0 && <Obstacles obstacles={obstacles} />}
        {isAsked && !outcome && <Text size="sm">It is being checked.</Text>}
      </Stack>
    </Card>
  );
}

function Plan({ plan, size }: { plan: components['schemas']['ServerDryRun']; size: string }) {
  const { node, ip_addresses, warnings } = plan;
  return (
    <>
      <Facts>
        <Fact name="Node">{node}</Fact>
        <Fact name={ip_addresses.length === 1 ? 'Address' : 'Addresses'}>
          {ip_addresses.length === 0 && 'none'}
          {ip_addresses.map(({ ip }) => (
            <div key={ip}>{ip}</div>
          ))}
        </Fact>
        <Price size={size} />
      </Facts>
      {warnings.map((warning) => (
        <Text key={warning} size="sm">
          {warning}
        </Text>
      ))}
      <Text size="xs" c="dimmed">
        Nothing is reserved until the server is created.
      </Text>
    </>
  );
}

/** Only sizes have prices, where administrators have set some. */
function Price({ size }: { size: string }) {
  const { data: sizes = [] } = useQuery(sizesQuery);
  const price = sizes.find(({ id }) => String(id) === size)?.price;
  if (!sizes.some((one) => one.price)) return null;
  return <Fact name="Price">{price ? priceInWords(price) : 'none'}</Fact>;
}

function Obstacles({ obstacles }: { obstacles: string[] }) {
  return (
    <>
      <Text size="sm" fw={600} c="var(--mantine-color-error)">
        It cannot be created like this:
      </Text>
      <Stack component="ul" gap={4} m={0} pl="md">
        {obstacles.map((obstacle) => (
          <Text key={obstacle} component="li" size="sm" className="breaks">
            {obstacle}
          </Text>
        ))}
      </Stack>
    </>
  );
}
