// Fetches callouts, for programs that Callout cannot reach: those of a webhook with the webhookUrl pull:.
//
//     npm install
//     WEBHOOK_URL='http://127.0.0.1:8080/atservicesrest/v1.0/CompanyWebhooks/1' \
//       CALLOUT_USER='…' CALLOUT_SECRET='…' CALLOUT_INTEGRATION_CODE='…' npm start
//
// Ctrl-C or SIGTERM ends it, after it has finished the callouts that it holds. With https the connection vouches for the
// callouts; SECRET_KEY, the secretKey of the webhook or its signingPublicKey, whpk_..., verifies their signatures too.
import { consume } from '@callout/receiver';

/** The fields that the webhook sends: a wrong name does not compile. */
type CompanyField = 'CompanyName' | 'Phone';

const secretKey = process.env['SECRET_KEY'];

try {
  await consume<CompanyField>({
    url: process.env['WEBHOOK_URL'] ?? '',
    credential: {
      userName: process.env['CALLOUT_USER'] ?? '',
      secret: process.env['CALLOUT_SECRET'] ?? '',
      apiIntegrationCode: process.env['CALLOUT_INTEGRATION_CODE'] ?? '',
    },
    concurrency: 10,
    ...(secretKey && { secrets: secretKey }),
    // Your work. It may take almost as long as the lease, 60 s unless leaseSeconds says otherwise.
    handle: ({ payload }) => {
      console.log(payload.Action, payload.EntityType, payload.Id, JSON.stringify(payload.Fields));
    },
  });
} catch (error) {
  // The credential, the address or the webhook has to be changed first: to try again would not help.
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
