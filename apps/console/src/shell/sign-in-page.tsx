import { Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, type FormEvent } from 'react';
import { configQuery, sessionQuery, signIn, type SignIn } from '../api/session.ts';
import { Problem } from '../parts/problem.tsx';

/** A sign-in link carries its token behind `#`, which browsers send to no server. */
const tokenOfLink = (hash: string): string | null => new URLSearchParams(hash.slice(1)).get('link');

/** Asks for what a program would send in its headers, or an operator's token. Nothing of it is kept in the browser. */
export default function SignInPage() {
  const queryClient = useQueryClient();
  const config = useQuery(configQuery);
  const enter = useMutation({
    mutationFn: signIn,
    onSuccess: (session) => queryClient.setQueryData(sessionQuery.queryKey, session),
  });
  const { mutate } = enter;
  useEffect(() => {
    document.title = 'Sign in · Callout';
    const link = tokenOfLink(globalThis.location.hash);
    if (link === null) return;
    history.replaceState(null, '', globalThis.location.pathname + globalThis.location.search);
    mutate({ link });
  }, [mutate]);

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    enter.mutate(Object.fromEntries(new FormData(event.currentTarget)) as unknown as SignIn);
  }

  const isOperator = config.data?.mode === 'operator';
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" w={400} maw="100%">
        <form onSubmit={submit}>
          <Stack>
            <div>
              <Title order={1}>Sign in to Callout</Title>
              <Text c="dimmed" size="sm">
                {isOperator ? 'As an operator of this installation.' : 'With the credential that your programs use.'}
              </Text>
            </div>
            {enter.isError && <Problem title="You are not signed in" error={enter.error} />}
            {isOperator ? (
              <PasswordInput name="token" label="Operator token" required autoComplete="current-password" />
            ) : (
              <>
                <TextInput name="userName" label="User name" required autoComplete="username" />
                <PasswordInput name="secret" label="Secret" required autoComplete="current-password" />
                <TextInput name="apiIntegrationCode" label="Integration code" required autoComplete="off" />
              </>
            )}
            <Button type="submit" loading={enter.isPending}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
