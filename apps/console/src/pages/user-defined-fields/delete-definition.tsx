import { List } from '@mantine/core';
import { api } from '../../api/client.ts';
import { aboutDefinition, type StoredDefinition } from './definitions-query.ts';
import { useVersionedDelete } from '../../parts/versions/use-versioned-form.tsx';
import { Dialog } from '../../parts/window/dialog.tsx';

interface DeleteDefinitionProps {
  readonly stored: StoredDefinition;
  readonly onClose: () => void;
}

/** Deletes a user-defined field after naming the consequences. */
export function DeleteDefinition({ stored, onClose }: DeleteDefinitionProps) {
  const { id, values } = stored;
  const { name } = values;
  const remove = useVersionedDelete({
    ...aboutDefinition,
    present: stored,
    write: (header) => api.DELETE('/v1.0/UserDefinedFieldDefinitions/{id}', { params: { path: { id }, header } }),
    onSuccess: onClose,
    meta: { done: `The field ${name} is deleted.` },
  });
  return (
    <Dialog
      title={`Delete ${name}?`}
      isOpen
      onClose={onClose}
      action="Delete the field"
      refusal="Keep it"
      isDangerous
      mutation={remove}
    >
      {remove.met}
      <List size="sm" spacing="xs">
        <List.Item>Callouts no longer include it.</List.Item>
        <List.Item>
          It is removed from every webhook that uses it; a webhook without another field is then not ready.
        </List.Item>
        <List.Item>It cannot be restored: a new field with this name is a different field.</List.Item>
      </List>
    </Dialog>
  );
}
