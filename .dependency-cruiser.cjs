// The arrows of ARCHITECTURE.md. Each rule says why it is there.
const only = (name, path, comment, to) => ({ name, severity: 'error', comment, from: { path }, to });
const OURS = '^(apps|packages)/';

module.exports = {
  forbidden: [
    only('no-cycles', OURS, 'A cycle means two files are one idea: nothing in it can be understood or tested alone.', {
      circular: true,
    }),
    only(
      'core-is-pure',
      '^packages/core/src/(?!.*\\.test\\.ts$)',
      'Rules take clock, randomness and data as arguments, so that dispatch, simulate and explain agree and every rule can be tested without I/O.',
      {
        path: [
          '^(apps|packages)/(?!core/)',
          '^(fs|net|http|https|dns|tls|child_process|timers|node:(fs|net|http|https|dns|tls|child_process|timers))',
        ],
      },
    ),
    only(
      'runtime-stands-alone',
      '^packages/runtime/src/(?!.*\\.test\\.ts$)',
      'Every process starts with it; it may know none of them.',
      { path: '^(apps|packages)/(?!runtime/)' },
    ),
    only(
      'db-imports-core',
      '^packages/db/src/(?!.*\\.test\\.ts$)',
      'The truth knows the rules and nothing else: not the queue, not the apps.',
      { path: '^(apps|packages)/(?!(core|db)/)' },
    ),
    only(
      'queue-imports-core',
      '^packages/queue/src/(?!.*\\.test\\.ts$)',
      'Redis is the alarm clock: it may not read the truth.',
      { path: '^(apps|packages)/(?!(core|queue)/)' },
    ),
    only(
      'packages-know-no-app',
      '^packages/',
      'Apps are started as processes; a package that imports one would drag its wiring along.',
      { path: '^apps/' },
    ),
    only(
      'api-and-worker-are-strangers',
      '^apps/api/',
      'They scale and deploy on their own and meet in PostgreSQL and Redis only.',
      { path: '^apps/(?!api/)' },
    ),
    only(
      'worker-and-api-are-strangers',
      '^apps/worker/',
      'They scale and deploy on their own and meet in PostgreSQL and Redis only.',
      { path: '^apps/(?!worker/)' },
    ),
    only(
      'sql-only-in-db',
      '^(apps|packages)/(?!(db|local|testing|bench)/)',
      'One place to find, measure and tune every statement.',
      { path: 'node_modules/(pg|@prisma|prisma)/' },
    ),
    only(
      'redis-only-in-queue',
      '^(apps|packages)/(?!(queue|testing|local|bench)/)',
      'One place that knows how a job looks.',
      { path: 'node_modules/(bullmq|ioredis)/' },
    ),
    only(
      'one-way-out',
      '^(apps|packages)/(?!worker/src/outbound/)',
      'Outbound HTTP has one door, with the address guard inside.',
      { path: 'node_modules/got/' },
    ),
    only(
      'one-way-out-for-mail',
      '^(apps|packages)/(?!(worker/src/outbound|local/src/mail)/)',
      'One place that knows what a mail server may be told.',
      { path: 'node_modules/nodemailer/' },
    ),
    only(
      'receiver-runs-anywhere',
      '^packages/receiver/src/(?!.*\\.(test|fixture)\\.ts$)',
      'Integrators put it into Node, Bun, Deno and workers: it uses Web Crypto and depends on nothing.',
      { path: '.*', pathNot: '^packages/receiver/src/' },
    ),
    only(
      'client-runs-anywhere',
      '^packages/client/src/(?!.*\\.test\\.ts$)',
      'The console and programs of integrators use it: it knows the API and nothing else of the service.',
      { path: '.*', pathNot: '^(packages/client/src/|node_modules/openapi-fetch/)' },
    ),
    only(
      'tests-stay-tests',
      '^(apps|packages)/(?!(testing|e2e)/)(?!.*/fixtures/).*(?<!\\.(?:test|fixture|suite))\\.ts$',
      'What ships does not carry what tests share.',
      { path: '^packages/(testing|e2e)/' },
    ),
    only(
      'declared-dependencies',
      OURS,
      'A package that works only because another one hoisted its dependency breaks on the next install.',
      {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        pathNot: '^node:',
      },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The console is JSX, which this parser does not read: oxlint has its rules.
    exclude: { path: '(^|/)(dist|generated)/|^apps/console/' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
