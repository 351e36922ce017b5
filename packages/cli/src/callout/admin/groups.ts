/** The groups of commands for operators: what they are about, and what helps to use them. */
export const groups: Readonly<Record<string, { readonly description: string; readonly help?: string }>> = {
  zones: {
    description: 'host names under which tenants reach the API',
    help: `
Clients ask GET /v1.0/zoneInformation?user=… for the zone of a user before they do anything else.

Examples:
  $ callout admin zones create --name eu --url https://eu.callout.example --default
  $ callout admin zones set eu --url https://eu2.callout.example
  $ callout admin zones list --json`,
  },
  tenants: {
    description: 'customers and their limits',
    help: `
Examples:
  $ callout admin tenants create --name acme --zone eu
  $ callout admin tenants set acme --callout-threshold 5000 --api-requests-per-hour default
  $ callout admin tenants export --tenant acme > acme.jsonl
  $ callout admin tenants delete acme`,
  },
  'signing-keys': { description: 'the key pairs that sign the callouts of tenants with Ed25519' },
  resources: {
    description: 'people and API users of a tenant, and their rights',
    help: `
Examples:
  $ callout admin resources create --tenant acme --email crm@acme.example --can-create-webhooks true
  $ callout admin resources set 1 --tenant acme --can-create-webhooks false
  $ callout admin resources set 1 --tenant acme --active false`,
  },
  credentials: {
    description: 'what callers of the API authenticate with',
    help: `
A credential is a user name, a secret and an API integration code, sent as the headers UserName, Secret and
ApiIntegrationCode. Secret and code are shown when they are made, and never again: only a hash of the secret is stored.

A client that has a secret and a code already can keep both: name the environment variable that holds them, or write the
secret to stdin. They are taken from no argument, because every user of the machine can read those, and shown nowhere. An
imported secret is only as good as it was elsewhere, and costs the API some hundred milliseconds of a core every 10
seconds in which it is used; reissue replaces it by a generated one.

Examples:
  $ callout admin credentials create --tenant acme --resource 1 --user-name crm@acme.example --role integrator
  $ callout admin credentials create --tenant acme --resource 1 --user-name old@acme.example --role integrator \\
      --secret-stdin --api-integration-code-env OLD_CODE < old-secret.txt
  $ callout admin credentials set-role crm@acme.example admin
  $ callout admin credentials reissue crm@acme.example --yes   # a new secret
  $ callout admin credentials revoke crm@acme.example --yes`,
  },
  links: {
    description: 'links that sign one person in to the console, once',
    help: `
Examples:
  $ callout admin links portal --tenant acme --resource 1
  $ callout admin links portal --tenant acme --resource 1 --webhook CompanyWebhooks/3
  $ callout admin links sign-in crm@acme.example --tenant acme --expires-in 3600
  $ callout admin links operator`,
  },
  lockouts: {
    description: 'user names that are locked out after too many failed sign-ins',
    help: `
Ten failures of a user name from one address within 15 minutes lock that pair out for 15 minutes, also for the right
secret. It ends by itself. A name that no credential has is locked out too, and listed without it: what was typed may
have been a secret, so only a digest of it is stored.

Examples:
  $ callout admin lockouts list
  $ callout admin lockouts lift crm@acme.example --address 203.0.113.7`,
  },
  keys: {
    description: 'the keys that secrets are encrypted with',
    help: `
SECRET_KEYS is a ring of keys: the first encrypts, all of them decrypt. To retire a key, one step after another:
  1. Add the new key at the end of SECRET_KEYS of every process, and restart
     them: now all can read it.
  2. Move it to the front, and restart them: now all encrypt with it.
  3. $ callout admin keys reencrypt
  4. $ callout admin keys status      # the old key has no secret left
  5. Take the old key out of SECRET_KEYS, and restart.
The exit status of \`status\` is 1 when a key is missing, that of \`reencrypt\` when a secret does not open.`,
  },
  queue: { description: 'the queue in Redis' },
  mails: { description: 'mail of the installation and its tenants' },
  alerts: {
    description: 'alerts about the installation itself',
    help: `
The exit status is 1 when a channel did not take the test within a minute.`,
  },
};
