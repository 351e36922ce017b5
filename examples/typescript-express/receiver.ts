// A receiver of callouts with Express.
//
//     npm install && SECRET_KEY='whsec_Y2FsbG91dC1leGFtcGxlLXNlY3JldC0zMi1ieXRlcyE=' npm start
//
// SECRET_KEY may also be the signingPublicKey of the webhook, whpk_...
// It listens on 127.0.0.1, at PORT or 8091. SIGNATURE=x-hook-signature checks that header instead of webhook-signature.
import express from 'express';
import { createReceiver } from '@callout/receiver';
import { nodeHandler } from '@callout/receiver/node';

/** The fields that the webhook sends: a wrong name does not compile. */
type CompanyField = 'CompanyName' | 'Phone';

const secret = process.env['SECRET_KEY'];
if (!secret) {
  console.error('Set SECRET_KEY to the secretKey of the webhook.');
  process.exit(1);
}

const receiver = createReceiver<CompanyField>({
  secrets: secret,
  signature: process.env['SIGNATURE'] === 'x-hook-signature' ? 'x-hook-signature' : 'webhook-signature',
  // Your work. Callout waits 10 s: store the callout or put it into a queue, and return.
  onCallout: ({ payload }) => {
    console.log(payload.Action, payload.EntityType, payload.Id, JSON.stringify(payload.Fields));
  },
});

const app = express();
app.post('/callouts', nodeHandler(receiver)); // before express.json(): the signature is that of the bytes
app.use(express.json());
app.listen(Number(process.env['PORT'] ?? 8091), '127.0.0.1');
