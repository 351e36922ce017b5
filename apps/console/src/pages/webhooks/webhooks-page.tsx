import { EmptyState, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { webhooksQuery } from './webhooks-query.ts';

export default function WebhooksPage() {
  const webhooks = useQuery(webhooksQuery);
  return (
    <Page title="Webhooks">
      {webhooks.isError && (
        <Problem title="The webhooks could not be read" error={webhooks.error} retry={() => void webhooks.refetch()} />
      )}
      {webhooks.data?.length === 0 && (
        <EmptyState title="No webhooks yet" description="A webhook tells your program when a record changes." />
      )}
      {webhooks.data && webhooks.data.length > 0 && (
        <Table.ScrollContainer minWidth={600}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Entity</Table.Th>
                <Table.Th>URL</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {webhooks.data.map(({ entity, webhook }) => (
                <Table.Tr key={webhook.webhookGUID}>
                  <Table.Td className="break-anywhere">{webhook.name}</Table.Td>
                  <Table.Td>{entity.label}</Table.Td>
                  <Table.Td className="break-anywhere">{webhook.webhookUrl}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Page>
  );
}
