import { NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { isPortal } from '../../api/session.ts';
import { entities, type Entity, entityOfType } from '../../api/entities.ts';
import { Note } from '../../parts/show/fact.tsx';

interface EntityInputProps {
  readonly entity: Entity;
  readonly set: (entity: Entity) => void;
}

/** A portal has no webhooks about the webhooks of others. */
const data = entities
  .filter(({ type }) => !isPortal || type !== 'WebhookHealth')
  .map(({ type, label }) => ({ value: type, label }));

/** Which records a webhook watches: all choices in sight where there is room. */
export function EntityInput({ entity, set }: EntityInputProps) {
  const choose = (type: string) => set(entityOfType(type) ?? entity);
  return (
    <div>
      <Text fw={600} id="entity" mb={4}>
        Records
      </Text>
      <SegmentedControl visibleFrom="sm" aria-labelledby="entity" value={entity.type} onChange={choose} data={data} />
      <NativeSelect
        hiddenFrom="sm"
        aria-labelledby="entity"
        value={entity.type}
        onChange={(event) => choose(event.currentTarget.value)}
        data={data}
      />
      {entity.type === 'WebhookHealth' && (
        <Note mt={4}>
          Its records are your webhooks: a callout says that one was paused or deactivated, that a callout failed, that
          its threshold holds callouts, or that it has recovered. Watch the field occurrence.
        </Note>
      )}
    </div>
  );
}
