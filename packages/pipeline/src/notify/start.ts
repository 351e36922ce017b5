import { confirmationKeyPurpose } from './write/confirmation-token.rules.ts';
import { type MailContext, operatorConsoleOf } from './write/mail-context.rules.ts';
import { mailTriedForMs, type MailVerdict } from './write/mail-retry.rules.ts';
import { writeMail } from './write/write-mail.rules.ts';
import { isAllowedMailDomain } from '@callout/domain/mail/mail-address';
import { KeyRing } from '@callout/domain/secrets/keyring';
import { claimDueMail, failOldMail, settleMail } from './store/due-mail.ts';
import { gatherMail, type GatherRules } from './store/gather-mail.ts';
import type { WorkerConfig } from '@callout/runtime/config/worker';
import type { StopStep } from '@callout/runtime/process/lifecycle';
import { type MaintenanceDeps, startMaintenance } from '@callout/runtime/process/maintenance';
import { startMailLoop } from './notify.ts';
import { createMailer } from '@callout/outbound/mail';
import type { RoleDeps } from '../stage.ts';

const mailsInFlight = 10;
/** After the time limit of a mail, the result has to be stored before the lease ends. */
const leaseMarginMs = 30_000;
/** How long a stopping process waits for mails. A mail that is cut off may arrive twice, with one Message-ID. */
const patienceMs = 5_000;

type NotifyDeps = RoleDeps & {
  metrics: MaintenanceDeps['metrics'] & { onMail: (state: MailVerdict['state']) => void };
};

/**
 * Without a mail server, mail waits as long as for an unreachable server, and fails then: while mail waits,
 * retention keeps the days that the mail refers to.
 */
function failUnsent({ pool, log, metrics }: NotifyDeps): StopStep[] {
  const days = mailTriedForMs / 86_400_000;
  log.warn({}, `SMTP_URL is not set: without it nothing is sent, and mail fails after ${days} days`);
  const tasks = startMaintenance(
    [
      {
        name: 'mail without a mail server',
        everyMs: 3_600_000,
        async work() {
          const mails = await failOldMail(pool, mailTriedForMs, 'there is no mail server: SMTP_URL is not set');
          if (mails > 0) log.warn({ mails }, 'mail failed, since SMTP_URL is not set');
        },
      },
    ],
    { log, metrics },
  );
  return [{ name: 'mail', stop: () => tasks.stop() }];
}

/** The role that sends mail. */
export function startNotify(deps: NotifyDeps): StopStep[] {
  const { config, paces, catalogue, pool, log, metrics } = deps;
  const { SMTP_URL: server, MAIL_FROM: from } = config;
  const { mailTimeoutMs: timeoutMs } = paces;
  if (server === undefined || from === undefined) return failUnsent(deps);
  const mailer = createMailer({ server, from, timeoutMs });
  const [rules, context] = [gatherRulesOf(config), mailContextOf(config, catalogue)];
  const notify = startMailLoop({
    gather: () => gatherMail(pool, rules),
    claim: (limit) => claimDueMail(pool, limit, timeoutMs + leaseMarginMs),
    write: (mail) => writeMail(mail, context),
    send: async (mail) =>
      isOutOfBounds(config, mail.recipient)
        ? { kind: 'refused', reason: 'MAIL_DOMAINS does not name its domain' }
        : mailer.send(mail),
    settle: (mail, verdict) => settleMail(pool, mail, verdict),
    maxInFlight: mailsInFlight,
    everyMs: paces.sweepEveryMs,
    random: Math.random,
    onMail: metrics.onMail,
    log,
  });
  return [
    {
      name: 'mail',
      async stop() {
        const breakOff = setTimeout(() => mailer.close(), patienceMs);
        await notify.stop();
        clearTimeout(breakOff);
      },
    },
  ];
}

/** The address of an operator needs no confirmation. */
function isOutOfBounds({ MAIL_DOMAINS, OPERATOR_MAIL }: WorkerConfig, recipient: string): boolean {
  return !isAllowedMailDomain(recipient, MAIL_DOMAINS) && !OPERATOR_MAIL.includes(recipient);
}

function gatherRulesOf(config: WorkerConfig): GatherRules {
  const recipient = config.MAIL_LIMIT_PER_RECIPIENT;
  return {
    gatherMs: config.MAIL_GATHER,
    // Several webhooks share a recipient, and several recipients a tenant.
    limits: { webhook: Math.ceil(recipient / 2), recipient, tenant: recipient * 10 },
    confirmationKey: (config.MAIL_CONFIRM ? confirmationKeysOf(config)[0] : undefined) ?? null,
  };
}

function confirmationKeysOf({ SECRET_KEYS }: WorkerConfig): Uint8Array[] {
  return KeyRing.parse(SECRET_KEYS).deriveKeys(confirmationKeyPurpose);
}

function mailContextOf(config: WorkerConfig, catalogue: RoleDeps['catalogue']): MailContext {
  return {
    catalogue,
    consoleUrl: config.CONSOLE_URL,
    hasConsole: config.CONSOLE === 'on',
    operatorConsole: operatorConsoleOf(config),
    publicUrl: config.PUBLIC_URL,
    apiRoot: config.API_ROOT,
    confirmationKeys: confirmationKeysOf(config),
  };
}
