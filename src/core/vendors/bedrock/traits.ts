// What is known of Amazon Bedrock without its wire.

import type { Traits } from "../traits.js";

/** A path, perhaps with its query. The model may be an ARN, whose slashes are percent-encoded. */
export const BEDROCK_TURN = /\/model\/([^/?]+)\/(converse|converse-stream)(?=\?|$)/;

/** The regions whose endpoint is known without a setting. */
const REGIONS = [
  ...["us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1", "ca-west-1", "sa-east-1", "mx-central-1"],
  ...["eu-central-1", "eu-central-2", "eu-west-1", "eu-west-2", "eu-west-3", "eu-north-1", "eu-south-1", "eu-south-2"],
  ...["ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-south-2", "ap-southeast-1"],
  ...["ap-southeast-2", "ap-southeast-3", "ap-southeast-4", "ap-southeast-5", "ap-southeast-7", "ap-east-2"],
  ...["me-central-1", "me-south-1", "il-central-1", "af-south-1", "us-gov-east-1", "us-gov-west-1"],
];

export const bedrockTraits = {
  name: "bedrock",
  baseURL: endpointOf("us-east-1"),
  path: "/converse",
  keyVariable: "AWS_BEARER_TOKEN_BEDROCK",
  client: { baseURLs: REGIONS.map(endpointOf), variable: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", path: "" },
  isTurn: ({ method, path }) => method === "POST" && BEDROCK_TURN.test(path),
} satisfies Traits;

function endpointOf(region: string): string {
  return `https://bedrock-runtime.${region}.amazonaws.com`;
}
