// The arrows of ARCHITECTURE.md. Each rule says why it is there.
const only = (name, path, comment, to) => ({ name, severity: 'error', comment, from: { path }, to });
const OURS = '^(apps|packages|tools)/';
/** Folders and files of the API, from below, each with what it may import besides itself. `start` puts them together. */
const API_FOLDERS = [
  { folder: 'http/', below: [], why: 'Authentication, limits, bodies and responses are the same for every endpoint.' },
  { folder: 'openapi/', below: ['http/'], why: 'The description is made from the table of routes.' },
  { folder: 'waiting/', below: ['http/'], why: 'What requests of several endpoints share while they wait.' },
  { folder: 'api-', below: ['http/', 'waiting/'], why: 'Every endpoint gets the context, which therefore names none.' },
  { folder: 'console/', below: ['api-', 'http/'], why: 'The page and its sessions: all data comes through the API.' },
  { folder: 'rest/', below: ['api-', 'http/', 'openapi/', 'waiting/'], why: 'A tenant knows no operator and no SOAP.' },
  { folder: 'soap/', below: ['api-', 'http/', 'rest/'], why: 'SOAP is another form of the REST endpoints.' },
  { folder: 'operator/', below: ['api-', 'console/', 'http/', 'openapi/', 'rest/'], why: 'Shows what tenants see.' },
];

module.exports = {
  forbidden: [
    only('no-cycles', OURS, 'A cycle means two files are one idea: nothing in it can be understood or tested alone.', {
      circular: true,
    }),
    only(
      'domain-is-pure',
      '^packages/domain/src/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'Rules take clock, randomness and data as arguments, so that dispatch, simulate and explain agree and every rule can be tested without I/O.',
      {
        path: [
          '^(apps|packages|tools)/(?!domain/)',
          '^(fs|net|http|https|dns|tls|child_process|timers|node:(fs|net|http|https|dns|tls|child_process|timers))',
        ],
      },
    ),
    only(
      'rules-are-pure',
      '^packages/.*\\.rules\\.ts$',
      'A file of rules decides and does nothing: it knows the domain and other rules.',
      {
        path: [
          '^(apps|packages|tools)/(?!domain/|webhooks/src/settings/|.*\\.rules\\.ts$)',
          '^(fs|net|http|https|dns|tls|child_process|timers|node:(fs|net|http|https|dns|tls|child_process|timers))',
        ],
      },
    ),
    only(
      'runtime-stands-alone',
      '^packages/runtime/src/(?!.*\\.test\\.ts$)',
      'Every process starts with it; it may know none of them.',
      { path: '^(apps|packages|tools)/(?!runtime/)' },
    ),
    only(
      'database-arrows',
      '^packages/database/src/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'The ground of all that is stored: it knows no stage, no queue and no app.',
      { path: '^(apps|packages|tools)/(?!(database|domain)/)' },
    ),
    only(
      'queue-arrows',
      '^packages/queue/src/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'Redis is the alarm clock: it may not read the truth.',
      { path: '^(apps|packages|tools)/(?!(domain|queue)/)' },
    ),
    only(
      'outbound-arrows',
      '^packages/outbound/src/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'The way out knows receivers and mail servers, and nothing of what is sent.',
      { path: '^(apps|packages|tools)/(?!(domain|outbound|runtime)/)' },
    ),
    only(
      'pipeline-arrows',
      '^packages/pipeline/src/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'The stages stand on the ground and know none of those who read or manage what they store.',
      { path: '^(apps|packages|tools)/(?!(database|domain|outbound|pipeline|queue|runtime)/)' },
    ),
    only(
      'webhooks-arrows',
      '^packages/webhooks/src/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'A change of a webhook deactivates and cancels, so it knows the stages.',
      { path: '^(apps|packages|tools)/(?!(database|domain|pipeline|webhooks)/)' },
    ),
    only(
      'settings-are-pure',
      '^packages/webhooks/src/(settings|input)/(?!.*\\.(test|fixture)\\.ts$)',
      'What a webhook may be set to is decided without a database, and the console and the CLI read the declarations.',
      {
        path: [
          '^(apps|packages|tools)/(?!domain/|webhooks/src/(settings|input)/)',
          '^(fs|net|http|https|dns|tls|child_process|timers|node:(fs|net|http|https|dns|tls|child_process|timers))',
        ],
      },
    ),
    only(
      'declarations-are-data',
      '^packages/webhooks/src/settings/(?!.*\\.test\\.ts$)',
      'A browser loads them: no validator, no Node.',
      { path: ['^packages/webhooks/src/input/', '^node:', 'node_modules/zod/'] },
    ),
    only(
      'tenancy-arrows',
      '^packages/tenancy/src/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'A change of a resource changes webhooks.',
      { path: '^(apps|packages|tools)/(?!(database|domain|pipeline|tenancy|webhooks)/)' },
    ),
    only(
      'history-arrows',
      '^packages/history/src/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'Reads what the stages have stored, with the rules that made it.',
      { path: '^(apps|packages|tools)/(?!(database|domain|history|pipeline|runtime|webhooks)/)' },
    ),
    only(
      'transfer-arrows',
      '^packages/transfer/src/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'Copies tables; nothing else names it.',
      { path: '^(apps|packages|tools)/(?!(database|domain|history|pipeline|transfer|webhooks)/)' },
    ),
    only(
      'stages-go-forward',
      '^packages/pipeline/src/(ingest|match|limits|deliver|settle|deactivate|notify)/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'An event goes through the stages in one direction, and so does who knows whom: a stage is understood with those behind it.',
      { path: '^packages/pipeline/src/(pull|repair|sweep)/' },
    ),
    only(
      'payload-knows-no-stage',
      '^packages/pipeline/src/payload/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'Every stage that sends or shows a callout reads its body here.',
      { path: '^packages/pipeline/src/(?!payload/)' },
    ),
    only(
      'ingest-goes-forward',
      '^packages/pipeline/src/ingest/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'As above.',
      { path: '^packages/pipeline/src/(match|limits|deliver|settle|deactivate|notify)/' },
    ),
    only(
      'limits-go-forward',
      '^packages/pipeline/src/limits/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'As above.',
      { path: '^packages/pipeline/src/(ingest|match|deliver|settle|deactivate)/' },
    ),
    only(
      'deliver-goes-forward',
      '^packages/pipeline/src/deliver/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'As above.',
      { path: '^packages/pipeline/src/(ingest|match|deactivate|notify)/' },
    ),
    only(
      'settle-goes-forward',
      '^packages/pipeline/src/settle/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'As above.',
      { path: '^packages/pipeline/src/(ingest|match|limits|deliver)/' },
    ),
    only(
      'deactivate-goes-forward',
      '^packages/pipeline/src/deactivate/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'As above.',
      { path: '^packages/pipeline/src/(ingest|match|limits|deliver|settle)/' },
    ),
    only(
      'notify-goes-forward',
      '^packages/pipeline/src/notify/(?!.*\\.(test|fixture|suite)\\.ts$)(?!.*(fixtures|test)/)',
      'As above.',
      { path: '^packages/pipeline/src/(ingest|match|limits|deliver|settle|deactivate)/' },
    ),
    only(
      'packages-have-a-surface',
      '^(apps|packages|tools)/([^/]+)/',
      'A package names its public modules in `exports`; a path into its folder would go around them.',
      { path: '^(apps|packages|tools)/', pathNot: '^$1/$2/', dependencyTypesNot: ['aliased-workspace'] },
    ),
    only(
      'packages-know-no-app',
      '^(packages|tools)/',
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
    ...API_FOLDERS.map(({ folder, below, why }) =>
      only(
        `api-${folder.replace(/\W/, '')}-arrows`,
        `^apps/api/src/${folder}(?!test/|.*\\.(test|fixture)\\.ts$)`,
        why,
        { path: `^apps/api/src/(?!(${[folder, ...below].join('|')}))` },
      ),
    ),
    only(
      'sql-only-where-stored',
      '^(apps|packages|tools)/(?!(database|pipeline|webhooks|tenancy|history|transfer|local|testing|bench)/)',
      'Apps and shipped tools call functions: statements are found, measured and tuned in the packages of what they store.',
      { path: 'node_modules/(pg|@prisma|prisma)/' },
    ),
    only(
      'redis-only-in-queue',
      '^(apps|packages|tools)/(?!(queue|testing|local|bench)/)',
      'One place that knows how a job looks.',
      { path: 'node_modules/(bullmq|ioredis)/' },
    ),
    only(
      'one-way-out',
      '^(apps|packages|tools)/(?!outbound/)',
      'Outbound HTTP has one door, with the address guard inside.',
      { path: 'node_modules/got/' },
    ),
    only(
      'one-way-out-for-mail',
      '^(apps|packages|tools)/(?!(outbound|local/src/mail)/)',
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
      '^(apps|packages|tools)/(?!(testing|e2e)/)(?!.*/(?:fixtures|test)/).*(?<!\\.(?:test|fixture|suite))\\.ts$',
      'What ships does not carry what tests share.',
      { path: '^tools/(testing|e2e)/' },
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
