import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { operate, type Tenant } from '../../../api/operator.ts';
import { Dialog } from '../../../parts/window/dialog.tsx';
import { errorsAt } from '../../../parts/form/field-errors.ts';
import { ZoneSelect } from '../zone-select.tsx';

interface NewTenantProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Makes a tenant, and opens its page. */
export function NewTenant({ isOpen, onClose }: NewTenantProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [zoneID, setZoneID] = useState<number | null>(null);
  const make = useMutation({
    mutationFn: () => operate<Tenant>('POST', '/tenants', { name: name.trim(), ...(zoneID !== null && { zoneID }) }),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: ['operator', 'tenants'] });
      await navigate({ to: `/operator/tenants/${id}` });
    },
  });
  return (
    <Dialog
      title="New tenant"
      action="Create the tenant"
      isOpen={isOpen}
      onClose={onClose}
      isPending={make.isPending}
      isDisabled={name.trim() === ''}
      error={make.error}
      onSubmit={() => make.mutate()}
    >
      <TextInput
        data-autofocus
        label="Name"
        description="Unique in this installation"
        required
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={errorsAt(make.error, 'name')}
      />
      <ZoneSelect value={zoneID} onChange={setZoneID} error={errorsAt(make.error, 'zoneID')} />
    </Dialog>
  );
}
