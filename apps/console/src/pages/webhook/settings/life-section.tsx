import { Button, Group } from '@mantine/core';
import { Suspense, useState } from 'react';
import type { WebhookAddress } from '../../../api/entities.ts';
import { useMember } from '../../../api/session.ts';
import { lazyPart } from '../../../parts/lazy-part.tsx';
import { Problem } from '../../../parts/loaded.tsx';
import { Section } from '../../../parts/page.tsx';
import { PageButton } from '../../../parts/show/links.tsx';
import { useActivation } from '../../../parts/webhook-versions/use-activation.ts';

// Fetched with the question.
const LifeDialog = lazyPart(() => import('./life-dialog.tsx'));

interface LifeProps {
  readonly address: WebhookAddress;
  readonly name: string;
  readonly isActive: boolean;
}

/** Activating, deactivating, copying and deleting: each at once, after saying what is lost. */
export function LifeSection(props: LifeProps) {
  const { address, isActive } = props;
  const mayCreate = useMember()?.rights.canCreateWebhooks === true;
  const [task, setTask] = useState<'deactivate' | 'delete' | null>(null);
  return (
    <Section title={mayCreate ? 'Activate, duplicate, delete' : 'Activate, delete'}>
      <Group>
        {isActive ? (
          <Button variant="default" onClick={() => setTask('deactivate')}>
            Deactivate
          </Button>
        ) : (
          <ActivateButton {...props} />
        )}
        {mayCreate && (
          <PageButton variant="default" to="/webhooks/new" search={{ from: `${address.entity.type}/${address.id}` }}>
            Duplicate
          </PageButton>
        )}
        <Button variant="light" color="red" onClick={() => setTask('delete')}>
          Delete
        </Button>
      </Group>
      {task !== null && (
        <Suspense fallback={null}>
          <LifeDialog {...props} task={task} onClose={() => setTask(null)} />
        </Suspense>
      )}
    </Section>
  );
}

function ActivateButton(props: LifeProps) {
  const activate = useActivation(props, true);
  return (
    <>
      <Button loading={activate.isPending} onClick={() => activate.mutate()}>
        Activate
      </Button>
      {activate.error && <Problem title="It was not activated" error={activate.error} />}
      {activate.met}
    </>
  );
}
