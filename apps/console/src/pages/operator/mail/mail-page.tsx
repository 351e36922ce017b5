import { Anchor, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { operate, operatorPages, type Mail } from '../../../api/operator.ts';
import { notify } from '../../../parts/notify.tsx';
import { Page } from '../../../parts/page.tsx';
import { problemOf } from '../../../parts/problem.tsx';
import { RecordsTable } from '../../../parts/table/records-table.tsx';
import { pagesOf } from '../../../parts/table/rows-of.ts';
import { StateBadge } from '../../../parts/show/state-badge.tsx';
import { Time } from '../../../parts/show/time.tsx';
import { useSearchParam } from '../../../parts/filter/use-search-param.ts';

const kinds: Readonly<Record<string, string>> = {
  error: 'a callout was given up',
  deactivated: 'a webhook was deactivated',
  thresholdExceeded: 'a threshold was reached',
  thresholdNear: 'three quarters of a threshold are used',
  caughtUp: 'what was held is out',
  failing: 'a webhook is failing',
  recovered: 'a webhook has recovered',
  confirmation: 'asks to confirm the address',
  alert: 'something is wrong with the installation',
  alertOver: 'an alert is over',
};

/** Mail that is not out: why, and a way to try it again. */
export default function MailPage() {
  const [chosen, choose] = useSearchParam('state');
  const state = chosen === 'notSent' ? 'refused,givenUp' : 'waiting';
  const queryClient = useQueryClient();
  const mails = useInfiniteQuery({
    ...operatorPages<Mail>(['mails', state], '/mails', { state, limit: 50 }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  const retry = useMutation({
    mutationFn: (id: string) => operate('POST', `/mails/${id}/retry`),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['operator', 'mails'] });
      notify({ message: 'The mail is tried now.' });
    },
    onError: (error) => notify({ color: 'red', message: problemOf(error) }),
  });
  return (
    <Page title="Mail" lead="Mail that is not out, and why.">
      <Group className="no-print">
        <SegmentedControl
          size="xs"
          aria-label="Which mail"
          value={chosen === 'notSent' ? 'notSent' : 'waiting'}
          onChange={(value) => choose(value === 'waiting' ? '' : value)}
          data={[
            { value: 'waiting', label: 'Waiting' },
            { value: 'notSent', label: 'Refused or given up' },
          ]}
        />
      </Group>
      <RecordsTable
        label="Mail"
        {...pagesOf(mails)}
        keyOf={({ id }) => id}
        empty={
          chosen === 'notSent'
            ? { title: 'No mail was refused or given up', description: 'Those of the time that callouts are kept.' }
            : { title: 'No mail waits', description: 'All mail is out.' }
        }
        columns={[
          { title: 'To', cell: ({ recipient }) => recipient },
          { title: 'What it says', cell: ({ kind, notifications: count }) => whatItSays(kind, count) },
          {
            title: 'Tenant',
            cell: ({ tenantID, tenantName }) =>
              tenantID === null ? (
                'the installation'
              ) : (
                <Anchor component={Link} to={`/operator/tenants/${tenantID}`} size="sm">
                  {tenantName ?? tenantID}
                </Anchor>
              ),
          },
          {
            title: 'State',
            cell: ({ state: one }) => (
              <StateBadge state={one === 'waiting' ? 'waiting' : one === 'refused' ? 'refused' : 'failed'} />
            ),
          },
          { title: 'Why', cell: (mail) => <Why mail={mail} /> },
          { title: 'Since', cell: ({ createDateTime }) => <Time value={createDateTime} /> },
          {
            title: '',
            isNumber: true,
            cell: ({ id, recipient, isGathered }) =>
              isGathered && (
                <Button
                  size="compact-sm"
                  variant="default"
                  className="no-print"
                  aria-label={`Send now: the mail to ${recipient}`}
                  onClick={() => retry.mutate(id)}
                >
                  Send now
                </Button>
              ),
          },
        ]}
      />
    </Page>
  );
}

function whatItSays(kind: string, count: number): string {
  const said = kinds[kind] ?? kind;
  return count > 1 ? `${said}, ${count.toLocaleString()} times` : said;
}

function Why({ mail }: { readonly mail: Mail }) {
  const { isGathered, attempts, lastError, nextAttemptDateTime } = mail;
  if (!isGathered) {
    return 'It waits for others of its kind, for a limit of mails in an hour, or until its address is confirmed.';
  }
  return (
    <Text size="sm" className="break-anywhere">
      {lastError ?? (attempts === 0 ? 'It was not tried yet.' : '')}
      {nextAttemptDateTime !== null && (
        <>
          {' '}
          Next attempt <Time value={nextAttemptDateTime} />.
        </>
      )}
    </Text>
  );
}
