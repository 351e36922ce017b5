// Reads manifests from stdin, and fails where one is not what the schema of Kubernetes says. A program of its own, since
// kubernetes-models can be imported and not required.
import process from 'node:process';
import { text } from 'node:stream/consumers';
import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as batch from 'kubernetes-models/batch/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';

const models = {
  'apps/v1 Deployment': apps.Deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': autoscaling.HorizontalPodAutoscaler,
  'batch/v1 Job': batch.Job,
  'networking.k8s.io/v1 Ingress': networking.Ingress,
  'networking.k8s.io/v1 NetworkPolicy': networking.NetworkPolicy,
  'policy/v1 PodDisruptionBudget': policy.PodDisruptionBudget,
  'v1 Service': core.Service,
};
// Not Kubernetes' own.
const withoutSchema = ['keda.sh/v1alpha1 ScaledObject', 'monitoring.coreos.com/v1 PodMonitor'];

for (const document of parseAllDocuments(await text(process.stdin))) {
  if (document.errors.length > 0) throw document.errors[0];
  const object = document.toJS();
  const kind = `${object.apiVersion} ${object.kind}`;
  const Model = models[kind];
  if (Model !== undefined) new Model(object).validate();
  else if (!withoutSchema.includes(kind)) throw new Error(`no schema is known for ${kind}`);
}
