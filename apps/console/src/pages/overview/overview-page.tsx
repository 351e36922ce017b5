import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { usePolling } from '../../api/polling.ts';
import { useMember } from '../../api/session.ts';
import { Attention } from './attention.tsx';
import { FirstSteps } from './first-steps.tsx';
import { webhookCountQuery } from './overview-queries.ts';
import { Page } from '../../parts/page.tsx';
import { Statistics } from '../../parts/statistics/statistics.tsx';

/** What needs attention first, then what was delivered, how receivers answered, and what is to be delivered. */
export default function OverviewPage() {
  usePolling([['overview']]);
  const member = useMember();
  const webhooks = useQuery(webhookCountQuery);
  return (
    <Page title="Overview" lead="What needs attention, and what is happening now.">
      {webhooks.data === 0 ? (
        <FirstSteps mayCreate={member?.kind === 'user' && member.rights.canCreateWebhooks} />
      ) : (
        <>
          <Attention />
          <Statistics queryKey={['statistics']} read={readStatistics} failures={{ to: '/failed' }} />
        </>
      )}
    </Page>
  );
}

/** The key is not below 'overview': statistics count minutes, and need not be read again with every attempt. */
const readStatistics = async (from: string) =>
  (await api.GET('/v1.0/Statistics', { params: { query: { from } } })).data.item;
