import { Text, UnstyledButton } from '@mantine/core';
import { Suspense, useState } from 'react';
import type { Session } from '../api/session.ts';
import { Icon } from '../parts/icon.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';

const load = () => import('./account-menu.tsx');
const AccountMenu = lazyPart(load);

/** Who is signed in. Its menu is fetched when it is about to be opened. */
export function Account({ session }: { readonly session: Session }) {
  const [isOpened, setIsOpened] = useState(false);
  const name = session.kind === 'operator' ? 'Operator' : (session.userName ?? session.resource.email);
  const button = (
    <UnstyledButton
      className="page-link"
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setIsOpened(true)}
    >
      <Icon of="userCircle" size={18} />{' '}
      <Text span inherit truncate maw="40vw">
        {name}
      </Text>
    </UnstyledButton>
  );
  return isOpened ? (
    <Suspense fallback={button}>
      <AccountMenu session={session} name={name} />
    </Suspense>
  ) : (
    button
  );
}
