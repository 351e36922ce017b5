import { Alert } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, pagesQuery } from '../../api/client.ts';
import { useMember } from '../../api/session.ts';
import { ChangesTable, changesOfPage } from '../../parts/changes/changes-table.tsx';
import { Page } from '../../parts/page.tsx';
import { pagesOf } from '../../parts/table/records-table.tsx';

/** Who changed what in the tenant; for admins alone. */
export default function ChangesPage() {
  const member = useMember();
  if (member === undefined) return null;
  if (member.kind === 'user' && member.rights.canManageUserDefinedFields) return <Changes />;
  return (
    <Page title="Changes">
      <Alert color="gray" title="Only an admin sees these">
        Sign in with a credential that has the role admin. The history of a webhook is on the webhook’s page.
      </Alert>
    </Page>
  );
}

function Changes() {
  return (
    <Page title="Changes" lead="Who changed webhooks, fields, resources, credentials and settings, newest first.">
      <ChangesTable list={pagesOf(useInfiniteQuery(changesQuery))} />
    </Page>
  );
}

const changesQuery = pagesQuery(['changes'], (paging) =>
  paging === undefined
    ? api.GET('/v1.0/Changes', { params: { query: { maxRecords: changesOfPage } } })
    : api.GET('/v1.0/Changes/query/next', { params: { query: { paging } } }),
);
