import { Anchor } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { Session } from '../api/session.ts';

const load = () => import('./account-menu.tsx');
const AccountMenu = lazy(load);

/** Who is signed in. Its menu is fetched when it is about to be opened. */
export function Account({ session }: { readonly session: Session }) {
  const [isOpened, setIsOpened] = useState(false);
  const name = session.kind === 'operator' ? 'Operator' : (session.userName ?? session.resource.email);
  const button = (
    <Anchor
      component="button"
      type="button"
      size="sm"
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setIsOpened(true)}
    >
      {name}
    </Anchor>
  );
  return isOpened ? (
    <Suspense fallback={button}>
      <AccountMenu session={session} name={name} />
    </Suspense>
  ) : (
    button
  );
}
