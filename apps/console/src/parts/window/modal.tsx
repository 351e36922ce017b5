import type { ModalProps } from '@mantine/core';
import { Suspense, useState } from 'react';
import { lazyPart } from '../lazy-part.tsx';

const Window = lazyPart(() => import('./modal-window.tsx'));

/** A window above the page. What draws it is fetched when one is opened for the first time. */
export function Modal(props: ModalProps) {
  const [wasOpened, setWasOpened] = useState(false);
  if (props.opened && !wasOpened) setWasOpened(true);
  return props.opened || wasOpened ? (
    <Suspense fallback={null}>
      <Window {...props} />
    </Suspense>
  ) : null;
}
