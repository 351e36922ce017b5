import { Switch, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { inputsOf, useDraft } from '../../parts/form/form.ts';
import { notify } from '../../parts/notify.tsx';
import { Dialog } from '../../parts/window/dialog.tsx';

/** What the API wants to know of staff besides, and Callout makes no use of. */
const unused = { resourceType: 'Employee', userType: 1, licenseType: 1, locationID: 1 } as const;
const inputs = [
  { name: 'firstName', label: 'First name', maxLength: 50 },
  { name: 'lastName', label: 'Last name', maxLength: 50 },
  {
    name: 'email',
    label: 'Mail address',
    maxLength: 254,
    type: 'email',
    description: 'Mail about its webhooks goes here.',
  },
  { name: 'userName', label: 'User name', maxLength: 32, description: 'What it is called in the product.' },
] as const;

interface NewResourceProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Creates a resource. It signs in once an operator has given it a credential. */
export function NewResource({ isOpen, onClose }: NewResourceProps) {
  const [draft, set, reset] = useDraft({ firstName: '', lastName: '', email: '', userName: '', isActive: true });
  const create = useMutation({
    mutationFn: () => api.POST('/v1.0/Resources', { body: { ...draft, ...unused } }),
    onSuccess() {
      close();
      notify({ message: `${draft.firstName} ${draft.lastName} is created.` });
    },
    meta: { changes: ['resources'] },
  });
  const input = inputsOf(draft, set, create.error);
  function close(): void {
    onClose();
    reset();
    create.reset();
  }
  return (
    <Dialog title="New resource" isOpen={isOpen} onClose={close} action="Create the resource" mutation={create}>
      {inputs.map(({ name, ...rest }) => (
        <TextInput key={name} {...rest} required {...input.text(name)} />
      ))}
      <Switch label="Active" {...input.check('isActive')} />
    </Dialog>
  );
}
