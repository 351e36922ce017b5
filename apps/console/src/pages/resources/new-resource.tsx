import { Stack, Switch, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Dialog } from '../../parts/window/dialog.tsx';
import { errorsAt } from '../../parts/form/field-errors.ts';
import { notify } from '../../parts/notify.tsx';

/** What the API wants to know of staff besides, and Callout makes no use of. */
const unused = { resourceType: 'Employee', userType: 1, licenseType: 1, locationID: 1 } as const;
const inputs = [
  { name: 'firstName', label: 'First name', maxLength: 50 },
  { name: 'lastName', label: 'Last name', maxLength: 50 },
  { name: 'email', label: 'Mail address', maxLength: 254, description: 'Mail about its webhooks goes here.' },
  { name: 'userName', label: 'User name', maxLength: 32, description: 'What it is called in the product.' },
] as const;
const empty = { firstName: '', lastName: '', email: '', userName: '', isActive: true };

interface NewResourceProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Creates a resource. It signs in once an operator has given it a credential. */
export function NewResource({ isOpen, onClose }: NewResourceProps) {
  const [draft, setDraft] = useState(empty);
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: async () => (await api.POST('/v1.0/Resources', { body: { ...draft, ...unused } })).data,
    onSuccess: async () => {
      close();
      notify({ message: `${draft.firstName} ${draft.lastName} is created.` });
      await queryClient.invalidateQueries({ queryKey: ['resources'] });
    },
  });
  function close(): void {
    onClose();
    setDraft(empty);
    create.reset();
  }
  return (
    <Dialog
      title="New resource"
      isOpen={isOpen}
      onClose={close}
      action="Create the resource"
      isPending={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
    >
      <Stack>
        {inputs.map(({ name, ...rest }) => (
          <TextInput
            key={name}
            {...rest}
            required
            {...(name === 'email' && { type: 'email' })}
            value={draft[name]}
            onChange={({ currentTarget: { value } }) => setDraft((before) => ({ ...before, [name]: value }))}
            error={errorsAt(create.error, name)}
          />
        ))}
        <Switch
          label="Active"
          checked={draft.isActive}
          onChange={({ currentTarget: { checked } }) => setDraft((before) => ({ ...before, isActive: checked }))}
        />
      </Stack>
    </Dialog>
  );
}
