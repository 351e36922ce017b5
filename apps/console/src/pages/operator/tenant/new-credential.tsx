import { Select, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { type IssuedCredential, operate, type Tenant } from '../../../api/operator.ts';
import { resourcesQuery, tenantKey } from '../operator-queries.ts';
import { inputsOf, useDraft } from '../../../parts/form/form.ts';
import { Dialog } from '../../../parts/window/dialog.tsx';

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
  const [draft, set] = useDraft<{ userName: string; resourceID: string | null; role: string }>({
    userName: '',
    resourceID: null,
    role: 'integrator',
  });
  const choices = (resources.data?.pages ?? [])
    .flatMap(({ items }) => items)
    .map(({ id, email }) => ({ value: String(id), label: `${email} (${id})` }));
  const resourceID = draft.resourceID ?? choices[0]?.value ?? null;
  const userName = draft.userName.trim();
  const make = useMutation({
    mutationFn: () => {
      const body = { ...draft, resourceID: Number(resourceID), userName };
      return operate<IssuedCredential>('POST', `/tenants/${tenant.id}/credentials`, body);
    },
    onSuccess: (credential) => {
      set({ userName: '' });
      onClose();
      onIssued(credential);
    },
    meta: { changes: tenantKey(tenant.id) },
  });
  const input = inputsOf(draft, set, make.error);
  return (
    <Dialog
      title="New credential"
      action="Create the credential"
      isOpen={isOpen}
      onClose={onClose}
      isDisabled={userName === '' || resourceID === null}
      mutation={make}
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
        {...input.value('resourceID')}
        value={resourceID}
      />
      <TextInput
        label="User name"
        description="Unique in this installation, such as crm@acme.example"
        required
        {...input.text('userName')}
      />
      <Select label="Role" allowDeselect={false} data={roles} {...input.value('role')} />
    </Dialog>
  );
}
