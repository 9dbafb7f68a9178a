import { needPeerPackages } from '../../src/files/optional-packages';

needPeerPackages('Tracing', ['@opentelemetry/api']);
