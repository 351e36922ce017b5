import { Select, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { operate, type IssuedCredential, type Tenant } from '../../../api/operator.ts';
import { Dialog } from '../../../parts/window/dialog.tsx';
import { errorsAt } from '../../../parts/form/field-errors.ts';
import { resourcesQuery } from './tenant-queries.ts';

interface NewCredentialProps {
  readonly tenant: Tenant;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onIssued: (credential: IssuedCredential) => void;
}

const roles = [
  { value: 'integrator', label: 'integrator: webhooks, and reads' },
  { value: 'source', label: 'source: writes records and events' },
  { value: 'admin', label: 'admin: everything of the tenant' },
];

/** Makes a credential; what is generated for it is shown next. */
export function NewCredential({ tenant, isOpen, onClose, onIssued }: NewCredentialProps) {
  const resources = useInfiniteQuery({ ...resourcesQuery(tenant.id), enabled: isOpen });
  const [userName, setUserName] = useState('');
  const [resource, setResource] = useState<string | null>(null);
  const [role, setRole] = useState('integrator');
  const choices = (resources.data?.pages ?? [])
    .flatMap(({ items }) => items)
    .map(({ id, email }) => ({ value: String(id), label: `${email} (${id})` }));
  const chosen = resource ?? choices[0]?.value ?? null;
  const make = useMutation({
    mutationFn: () =>
      operate<IssuedCredential>('POST', `/tenants/${tenant.id}/credentials`, {
        resourceID: Number(chosen),
        userName: userName.trim(),
        role,
      }),
    onSuccess: (credential) => {
      setUserName('');
      onClose();
      onIssued(credential);
    },
  });
  return (
    <Dialog
      title="New credential"
      action="Create the credential"
      isOpen={isOpen}
      onClose={onClose}
      isPending={make.isPending}
      isDisabled={userName.trim() === '' || chosen === null}
      error={make.error}
      onSubmit={() => make.mutate()}
    >
      <Select
        label="Resource"
        description={
          resources.isSuccess && choices.length === 0
            ? 'There is none yet: create a resource first.'
            : 'The resource that the credential acts for'
        }
        searchable
        required
        data={choices}
        value={chosen}
        onChange={setResource}
        error={errorsAt(make.error, 'resourceID')}
      />
      <TextInput
        label="User name"
        description="Unique in this installation, such as crm@acme.example"
        required
        value={userName}
        onChange={(event) => setUserName(event.currentTarget.value)}
        error={errorsAt(make.error, 'userName')}
      />
      <Select
        label="Role"
        allowDeselect={false}
        data={roles}
        value={role}
        onChange={(next) => setRole(next ?? 'integrator')}
        error={errorsAt(make.error, 'role')}
      />
    </Dialog>
  );
}
