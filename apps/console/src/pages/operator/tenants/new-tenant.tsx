import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { operate, type Tenant } from '../../../api/operator.ts';
import { ZoneSelect } from '../zone-select.tsx';
import { inputsOf, useDraft } from '../../../parts/form/form.ts';
import { Dialog } from '../../../parts/window/dialog.tsx';

interface NewTenantProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Makes a tenant, and opens its page. */
export function NewTenant({ isOpen, onClose }: NewTenantProps) {
  const navigate = useNavigate();
  const [draft, set] = useDraft<{ name: string; zoneID: number | null }>({ name: '', zoneID: null });
  const name = draft.name.trim();
  const make = useMutation({
    mutationFn: () => {
      const { zoneID } = draft;
      return operate<Tenant>('POST', '/tenants', { name, ...(zoneID !== null && { zoneID }) });
    },
    onSuccess: ({ id }) => navigate({ to: `/operator/tenants/${id}` }),
    meta: { changes: ['operator', 'tenants'] },
  });
  const input = inputsOf(draft, set, make.error);
  return (
    <Dialog
      title="New tenant"
      action="Create the tenant"
      isOpen={isOpen}
      onClose={onClose}
      isDisabled={name === ''}
      mutation={make}
    >
      <TextInput
        data-autofocus
        label="Name"
        description="Unique in this installation"
        required
        {...input.text('name')}
      />
      <ZoneSelect {...input.value('zoneID')} />
    </Dialog>
  );
}
