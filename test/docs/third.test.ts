// The documents of the third share; see test/support/documents.ts.

import { testDocuments } from "../support/documents.js";

testDocuments(2);
