import { Center, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useRouterState } from '@tanstack/react-router';
import { Fragment, type ReactNode, Suspense } from 'react';
import { setApiRoot } from '../api/client.ts';
import { identityOf, type Session, sessionQuery } from '../api/session.ts';
import { operatorPath } from '../pages/operator/routes.ts';
import { lazyPart } from '../parts/lazy-part.tsx';
import { Problem } from '../parts/loaded.tsx';
import { Frame } from './frame.tsx';
import { NotFoundPage } from './not-found-page.tsx';

// One who is signed in never sees it.
const SignInPage = lazyPart(() => import('./sign-in-form.tsx'));
const SessionEnded = lazyPart(() => import('./session-ended.tsx'));

function Loading() {
  return (
    <Center mih="100vh">
      <Loader aria-label="Loading" />
    </Center>
  );
}

/** Decides what is seen at all: the sign-in, or the frame with a page in it. The address stays, so a link leads on. */
export function Shell() {
  const session = useQuery(sessionQuery);
  if (session.isPending) return <Loading />;
  if (session.data === undefined) {
    return (
      <Center mih="100vh" p="md">
        <Problem title="The console could not start" error={session.error} retry={() => void session.refetch()} />
      </Center>
    );
  }
  if (session.data === null) {
    return (
      <Suspense fallback={<Loading />}>
        <SignInPage />
      </Suspense>
    );
  }
  return (
    <Waiting session={session.data}>
      <PageOf session={session.data} />
    </Waiting>
  );
}

interface WaitingProps {
  readonly session: Session;
  readonly children: ReactNode;
}

/** Keeps the page of a session that has ended, with what was typed there, but unseen. For another person it is a new one. */
function Waiting({ session, children }: WaitingProps) {
  const hasEnded = session.hasEnded === true;
  return (
    <Fragment key={identityOf(session)}>
      <div hidden={hasEnded}>{children}</div>
      {hasEnded && (
        <Suspense fallback={<Loading />}>
          <SessionEnded session={session} />
        </Suspense>
      )}
    </Fragment>
  );
}

function PageOf({ session }: { readonly session: Session }) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // While another page is fetched, the one before is still drawn.
  const drawnPath = useRouterState({
    select: ({ location, resolvedLocation }) => (resolvedLocation ?? location).pathname,
  });
  if (session.kind === 'operator') {
    if (path.replace(/\/$/u, '') === '') return <Navigate to={operatorPath} />;
    return (
      <Frame session={session}>
        {isOfOperators(path) ? isOfOperators(drawnPath) && <Outlet /> : <NotFoundPage home={operatorPath} />}
      </Frame>
    );
  }
  setApiRoot(session.apiRoot);
  const { isPortal, webhook } = session;
  if (isPortal && path.replace(/\/$/u, '') === '') {
    return <Navigate to={webhook === null ? '/webhooks' : `/webhooks/${webhook.entityType}/${webhook.webhookID}`} />;
  }
  // The server would refuse all that such a page asks for: it is as if there were none.
  return <Frame session={session}>{isOfOperators(path) ? <NotFoundPage /> : <Outlet />}</Frame>;
}

const isOfOperators = (path: string): boolean => path === operatorPath || path.startsWith(`${operatorPath}/`);
