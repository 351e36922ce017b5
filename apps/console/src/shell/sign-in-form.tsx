import { Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect } from 'react';
import { configQuery, isPortal, type Session, sessionQuery, signIn, type SignIn } from '../api/session.ts';
import { Problem } from '../parts/loaded.tsx';
import { PortalLinkNeeded } from './portal-link-needed.tsx';

/** A sign-in link carries its token behind `#`, which browsers send to no server. */
const tokenOfLink = (hash: string): string | null => new URLSearchParams(hash.slice(1)).get('link');

interface SignInFormProps {
  readonly title: string;
  /** A sentence below the title; by whose console it is unless given. */
  readonly lead?: ReactNode;
  /** Called before the session is there. */
  readonly onSignedIn?: (session: Session) => void;
}

/** Asks for what a program would send in its headers, or an operator's token. Nothing of it is kept in the browser. */
export function SignInForm({ title, lead, onSignedIn }: SignInFormProps) {
  const queryClient = useQueryClient();
  const config = useQuery(configQuery);
  const attempt = useMutation({
    mutationFn: signIn,
    onSuccess(session) {
      onSignedIn?.(session);
      queryClient.setQueryData(sessionQuery.queryKey, session);
    },
  });
  const { mutate } = attempt;
  useEffect(() => {
    document.title = `${title} · Callout`;
    const link = tokenOfLink(globalThis.location.hash);
    if (link === null) return;
    history.replaceState(null, '', globalThis.location.pathname + globalThis.location.search);
    mutate({ link });
  }, [mutate, title]);

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    attempt.mutate(Object.fromEntries(new FormData(event.currentTarget)) as unknown as SignIn);
  }

  // Who comes by a portal link has no credential to enter.
  if (isPortal) return <PortalLinkNeeded isPending={attempt.isPending} error={attempt.error} />;
  const isOperator = config.data?.mode === 'operator';
  return (
    <form onSubmit={submit}>
      <Stack>
        <div>
          <Title order={1}>{title}</Title>
          <Text c="dimmed">
            {lead ??
              (isOperator ? 'As an operator of this installation.' : 'With the credential that your programs use.')}
          </Text>
        </div>
        {attempt.isError && <Problem title="You are not signed in" error={attempt.error} />}
        {isOperator ? (
          <PasswordInput name="token" label="Operator token" required autoComplete="current-password" />
        ) : (
          <>
            <TextInput name="userName" label="User name" required autoComplete="username" />
            <PasswordInput name="secret" label="Secret" required autoComplete="current-password" />
            <TextInput name="apiIntegrationCode" label="Integration code" required autoComplete="off" />
          </>
        )}
        <Button type="submit" loading={attempt.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

/** The page of one who is not signed in. */
export default function SignInPage() {
  return (
    <Center mih="100vh" p="md" component="main" bg="var(--console-quiet)">
      <Paper withBorder p="xl" w={400} maw="100%">
        <SignInForm title="Sign in to Callout" />
      </Paper>
    </Center>
  );
}
