import { Button, Checkbox, Group, Menu, Stack, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { operate, type Resource, type SignInLink, type Tenant } from '../../../api/operator.ts';
import { Dialog } from '../../../parts/window/dialog.tsx';
import { errorsAt } from '../../../parts/form/field-errors.ts';
import { notify } from '../../../parts/notify.tsx';
import { problemOf } from '../../../parts/problem.tsx';
import { RecordsTable } from '../../../parts/table/records-table.tsx';
import { pagesOf } from '../../../parts/table/rows-of.ts';
import { StateBadge } from '../../../parts/show/state-badge.tsx';
import { LinkDialog } from './link-dialog.tsx';
import { resourcesQuery, tenantKey } from './tenant-queries.ts';

/** The people and API users of a tenant: webhooks belong to them, and credentials act for them. */
export default function ResourcesTab({ tenant }: { readonly tenant: Tenant }) {
  const queryClient = useQueryClient();
  const [isMaking, setMaking] = useState(false);
  const [link, setLink] = useState<SignInLink | null>(null);
  const resources = useInfiniteQuery(resourcesQuery(tenant.id));
  const path = `/tenants/${tenant.id}/resources`;
  const tellProblem = (error: Error) => notify({ color: 'red', message: problemOf(error) });
  const change = useMutation({
    mutationFn: ({ id, ...changes }: Partial<Resource> & { id: number }) => operate('PATCH', `${path}/${id}`, changes),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: tenantKey(tenant.id) }),
    onError: tellProblem,
  });
  const portal = useMutation({
    mutationFn: (resourceID: number) =>
      operate<SignInLink>('POST', `/tenants/${tenant.id}/portalLinks`, { resourceID }),
    onSuccess: setLink,
    onError: tellProblem,
  });
  return (
    <Stack>
      <Group justify="flex-end" className="no-print">
        <Button size="sm" onClick={() => setMaking(true)}>
          New resource
        </Button>
      </Group>
      <NewResource tenant={tenant} isOpen={isMaking} onClose={() => setMaking(false)} />
      <LinkDialog title="Portal link" link={link} onClose={() => setLink(null)} />
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
              <Menu position="bottom-end" withinPortal>
                <Menu.Target>
                  <Button size="compact-sm" variant="default" aria-label={`Actions for ${email}`} className="no-print">
                    Actions
                  </Button>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item disabled={!isActive} onClick={() => portal.mutate(id)}>
                    Make a portal link
                  </Menu.Item>
                  <Menu.Item onClick={() => change.mutate({ id, canCreateWebhooks: !canCreateWebhooks })}>
                    {canCreateWebhooks ? 'Let it create no webhooks' : 'Let it create webhooks'}
                  </Menu.Item>
                  <Menu.Item
                    {...(isActive && { color: 'red' })}
                    onClick={() => change.mutate({ id, isActive: !isActive })}
                  >
                    {isActive ? 'Deactivate, with its webhooks' : 'Activate'}
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            ),
          },
        ]}
      />
    </Stack>
  );
}

interface NewResourceProps {
  readonly tenant: Tenant;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function NewResource({ tenant, isOpen, onClose }: NewResourceProps) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const [canCreateWebhooks, setCanCreateWebhooks] = useState(true);
  const make = useMutation({
    mutationFn: () =>
      operate<Resource>('POST', `/tenants/${tenant.id}/resources`, { email: email.trim(), canCreateWebhooks }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: tenantKey(tenant.id) });
      setEmail('');
      onClose();
    },
  });
  return (
    <Dialog
      title="New resource"
      action="Create the resource"
      isOpen={isOpen}
      onClose={onClose}
      isPending={make.isPending}
      isDisabled={email.trim() === ''}
      error={make.error}
      onSubmit={() => make.mutate()}
    >
      <TextInput
        data-autofocus
        label="Email"
        description="Of the person or program; mail about its webhooks goes there"
        required
        type="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={errorsAt(make.error, 'email')}
      />
      <Checkbox
        label="May create webhooks"
        checked={canCreateWebhooks}
        onChange={(event) => setCanCreateWebhooks(event.currentTarget.checked)}
      />
    </Dialog>
  );
}
