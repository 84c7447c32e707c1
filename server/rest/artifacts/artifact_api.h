#ifndef ARTIFACT_API_H
#define ARTIFACT_API_H

#include "request.h"

/* GET …/artifact-types */
err_t artifact_api_list_types(struct request *q);
/* GET …/artifacts?type=&match=&order= */
err_t artifact_api_list(struct request *q);
/* GET …/artifacts/{collection} */
err_t artifact_api_show(struct request *q);
/* GET …/artifacts/{collection}/versions?order= */
err_t artifact_api_list_versions(struct request *q);
/* GET …/artifacts/{collection}/versions/{version} */
err_t artifact_api_show_version(struct request *q);
/* GET …/artifact-clients/{client}: by the client's name or the id in hexadecimal; also of another project, from which a run may have moved. */
err_t artifact_api_show_client(struct request *q);
/* GET …/artifact-versions?filter=&order=&count= */
err_t artifact_api_search(struct request *q);

#endif
