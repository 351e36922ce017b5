import { Select, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { entityOfType } from '../../api/entities.ts';
import { errorsAt } from '../../parts/form/field-errors.ts';
import { notify } from '../../parts/notify.tsx';
import { Dialog } from '../../parts/window/dialog.tsx';
import { dataTypes, entityTypes, type Definition } from './definitions-query.ts';
import { textOfValues, valuesOfText } from './list-values.ts';

interface DefinitionFormProps {
  /** Undefined: a new one. */
  readonly stored: Definition | undefined;
  /** The entity of a new one. */
  readonly entityType: string | undefined;
  readonly onClose: () => void;
}

/** Makes a user-defined field, or changes one. Its entity and its type stay as they are made. */
export function DefinitionForm({ stored, entityType, onClose }: DefinitionFormProps) {
  const [draft, setDraft] = useState({
    entityType: stored?.entityType ?? entityType ?? 'Account',
    name: stored?.name ?? '',
    label: stored?.label ?? '',
    dataType: stored?.dataType ?? 'string',
    values: textOfValues(stored?.listValues ?? []),
  });
  const change = (part: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...part }));
  const isList = draft.dataType === 'list';
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: async () => {
      const { name, label, dataType } = draft;
      const settings = {
        name,
        label: label === '' ? name : label,
        ...(isList && { listValues: valuesOfText(draft.values) }),
      };
      if (stored === undefined) {
        const body = { ...settings, entityType: draft.entityType, dataType };
        await api.POST('/v1.0/UserDefinedFieldDefinitions', { body: body as never });
      } else {
        const path = { id: Number(stored.id) };
        await api.PATCH('/v1.0/UserDefinedFieldDefinitions/{id}', { params: { path }, body: settings as never });
      }
    },
    onSuccess: async () => {
      onClose();
      notify({ message: `The field ${draft.name} is saved.` });
      await queryClient.invalidateQueries({ queryKey: ['definitions'] });
    },
  });
  return (
    <Dialog
      title={stored === undefined ? 'New user-defined field' : `Change ${stored.name}`}
      action={stored === undefined ? 'Make the field' : 'Save'}
      isOpen
      onClose={onClose}
      isPending={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate()}
    >
      <Select
        label="Entity"
        data={entityTypes.map((type) => ({ value: type, label: entityOfType(type)?.label ?? type }))}
        allowDeselect={false}
        disabled={stored !== undefined}
        value={draft.entityType}
        onChange={(type) => change({ entityType: type ?? 'Account' })}
        error={errorsAt(save.error, 'entityType')}
      />
      <TextInput
        label="Name"
        required
        data-autofocus
        maxLength={255}
        value={draft.name}
        onChange={({ currentTarget: { value } }) => change({ name: value })}
        error={errorsAt(save.error, 'name')}
      />
      <TextInput
        label="Label"
        description="The key in callouts, exactly so; the name when it is left out"
        maxLength={255}
        value={draft.label}
        onChange={({ currentTarget: { value } }) => change({ label: value })}
        error={errorsAt(save.error, 'label')}
      />
      <Select
        label="Type"
        data={[...dataTypes]}
        allowDeselect={false}
        disabled={stored !== undefined}
        {...(stored !== undefined && { description: 'It cannot be changed: make another field instead' })}
        value={draft.dataType}
        onChange={(type) => change({ dataType: type ?? 'string' })}
        error={errorsAt(save.error, 'dataType')}
      />
      {isList && (
        <Textarea
          label="Values"
          description="One per line: the whole number that records hold, then what people see, such as 1 Gold"
          required
          autosize
          minRows={3}
          maxRows={12}
          value={draft.values}
          onChange={({ currentTarget: { value } }) => change({ values: value })}
          error={errorsAt(save.error, 'listValues')}
        />
      )}
    </Dialog>
  );
}
