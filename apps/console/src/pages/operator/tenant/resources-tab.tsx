import { Button, Checkbox, Group, Menu, Stack, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { operate, type Resource, type SignInLink, type Tenant } from '../../../api/operator.ts';
import { ActionsMenu } from '../actions-menu.tsx';
import { resourcesQuery, tenantKey } from '../operator-queries.ts';
import { LinkDialog } from './link-dialog.tsx';
import { inputsOf, useDraft } from '../../../parts/form/form.ts';
import { StateBadge } from '../../../parts/show/state-badge.tsx';
import { pagesOf, RecordsTable } from '../../../parts/table/records-table.tsx';
import { Dialog } from '../../../parts/window/dialog.tsx';

/** The people and API users of a tenant: webhooks belong to them, and credentials act for them. */
export default function ResourcesTab({ tenant }: { readonly tenant: Tenant }) {
  const [isMaking, setMaking] = useState(false);
  const [link, setLink] = useState<SignInLink | null>(null);
  const resources = useInfiniteQuery(resourcesQuery(tenant.id));
  const path = `/tenants/${tenant.id}/resources`;
  const change = useMutation({
    mutationFn: ({ id, ...changes }: Partial<Resource> & { id: number }) => operate('PATCH', `${path}/${id}`, changes),
    meta: { changes: tenantKey(tenant.id), notifiesRefusal: true },
  });
  const portal = useMutation({
    mutationFn: (resourceID: number) =>
      operate<SignInLink>('POST', `/tenants/${tenant.id}/portalLinks`, { resourceID }),
    onSuccess: setLink,
    meta: { notifiesRefusal: true },
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
              <ActionsMenu of={email}>
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
              </ActionsMenu>
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
  const [draft, set, reset] = useDraft({ email: '', canCreateWebhooks: true });
  const email = draft.email.trim();
  const make = useMutation({
    mutationFn: () => operate<Resource>('POST', `/tenants/${tenant.id}/resources`, { ...draft, email }),
    onSuccess: () => {
      reset();
      onClose();
    },
    meta: { changes: tenantKey(tenant.id) },
  });
  const input = inputsOf(draft, set, make.error);
  return (
    <Dialog
      title="New resource"
      action="Create the resource"
      isOpen={isOpen}
      onClose={onClose}
      isDisabled={email === ''}
      mutation={make}
    >
      <TextInput
        data-autofocus
        label="Email"
        description="Of the person or program; mail about its webhooks goes there"
        required
        type="email"
        {...input.text('email')}
      />
      <Checkbox label="May create webhooks" {...input.check('canCreateWebhooks')} />
    </Dialog>
  );
}
