import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import type { WebhookAddress } from '../../api/entities.ts';
import { keyOf, webhookQuery } from '../../api/webhook.ts';
import { BodyView } from '../../parts/show/code.tsx';
import { Time } from '../../parts/show/time.tsx';
import { RecordsTable, rowsOf } from '../../parts/table/records-table.tsx';

/** What failed, with the payload as it was: the newest hundred. */
export default function ErrorsTab({ address }: { readonly address: WebhookAddress }) {
  const { data: webhook } = useQuery(webhookQuery(address));
  const errors = useQuery({
    queryKey: [...keyOf(address), 'errors'],
    enabled: webhook !== undefined,
    queryFn: async () => {
      const filter = { op: 'eq' as const, field: 'webhookGUID', value: webhook?.webhookGUID };
      const body = { Filter: [filter], MaxRecords: 100 };
      return (await api.POST('/v1.0/WebhookEventErrorLogs/query', { body })).data.items.toReversed();
    },
  });
  return (
    <RecordsTable
      label="Errors"
      {...rowsOf(errors)}
      keyOf={({ id }) => String(id)}
      empty={{ title: 'Nothing failed', description: 'Callouts that used up their attempts are listed here.' }}
      columns={[
        { title: 'When', cell: ({ createDateTime }) => createDateTime && <Time value={createDateTime} /> },
        { title: 'Callout', cell: ({ sequenceNumber }) => sequenceNumber },
        { title: 'Why', cell: ({ errorMessage }) => errorMessage },
        { title: 'Payload', cell: ({ payload }) => <BodyView text={payload ?? ''} label="Payload" /> },
      ]}
    />
  );
}
