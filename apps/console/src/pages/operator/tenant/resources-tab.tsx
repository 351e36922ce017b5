import { Button, Group, Menu, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Tenant } from '../../../api/operator.ts';
import { ActionsMenu } from '../actions-menu.tsx';
import { OperationDialog } from '../operation/operation-dialog.tsx';
import { useOperation } from '../operation/use-operation.ts';
import { resourcesQuery } from '../operator-queries.ts';
import { StateBadge } from '../../../parts/show/state-badge.tsx';
import { pagesOf, RecordsTable } from '../../../parts/table/records-table.tsx';

/** The people and API users of a tenant: webhooks belong to them, and credentials act for them. */
export default function ResourcesTab({ tenant }: { readonly tenant: Tenant }) {
  const [isMaking, setMaking] = useState(false);
  const [linked, link] = useState<number | null>(null);
  const tenantId = tenant.id;
  const resources = useInfiniteQuery(resourcesQuery(tenantId));
  const change = useOperation('updateResource');
  return (
    <Stack>
      <Group justify="flex-end" className="no-print">
        <Button size="sm" onClick={() => setMaking(true)}>
          New resource
        </Button>
      </Group>
      {isMaking && (
        <OperationDialog
          name="createResource"
          preset={{ tenantId }}
          begin={{ canCreateWebhooks: true }}
          onClose={() => setMaking(false)}
        />
      )}
      {linked !== null && (
        <OperationDialog name="createPortalLink" preset={{ tenantId, resourceID: linked }} onClose={() => link(null)} />
      )}
      <RecordsTable
        label="Resources"
        {...pagesOf(resources)}
        keyOf={({ id }) => String(id)}
        empty={{
          title: 'No resources yet',
          description: 'A resource is a person or an API user. Create one, then a credential that acts for it.',
        }}
        columns={[
          { title: 'Id', isNumber: true, cell: ({ id }) => id },
          { title: 'Email', cell: ({ email }) => email },
          { title: 'State', cell: ({ isActive }) => <StateBadge state={isActive ? 'active' : 'inactive'} /> },
          { title: 'May create webhooks', cell: ({ canCreateWebhooks }) => (canCreateWebhooks ? 'yes' : 'no') },
          {
            title: '',
            isNumber: true,
            cell: ({ id, email, isActive, canCreateWebhooks }) => (
              <ActionsMenu of={email}>
                <Menu.Item disabled={!isActive} onClick={() => link(id)}>
                  Make a portal link
                </Menu.Item>
                <Menu.Item
                  onClick={() => change.mutate({ tenantId, resourceId: id, canCreateWebhooks: !canCreateWebhooks })}
                >
                  {canCreateWebhooks ? 'Let it create no webhooks' : 'Let it create webhooks'}
                </Menu.Item>
                <Menu.Item
                  {...(isActive && { color: 'red' })}
                  onClick={() => change.mutate({ tenantId, resourceId: id, isActive: !isActive })}
                >
                  {isActive ? 'Deactivate, with its webhooks' : 'Activate'}
                </Menu.Item>
              </ActionsMenu>
            ),
          },
        ]}
      />
    </Stack>
  );
}
