/* Folders of encoders: what they compute, what is read of them, and what is refused. */
#include "tests/encoder_case.h"

#include "pretrained/inside.h"
#include "tests/fuzz/fuzz_encoder.h"
#include "tests/replay.h"

static void hidden_states_are_those_of_the_reference(void **state)
{
    (void)state;
    for (int i = 0; i < ENCODERS; i++)
        case_golden(encoder_names[i], 1e-5);
}

static void folders_say_what_they_are(void **state)
{
    static const struct {
        const char *name;
        int         vocabulary, first, types, most;
        bs_pooling  pooling;
    } want[] = {{"bert", 100, 0, 2, 40, BS_POOL_MEAN},
                {"distilbert", 100, 0, 0, 40, BS_POOL_MEAN},
                {"roberta", 298, 2, 1, 38, BS_POOL_MEAN}};
    (void)state;
    for (int i = 0; i < ENCODERS; i++) {
        bs_pretrained              *e = case_open(want[i].name);
        const bs_transformer_shape *s = &e->form.shape;
        assert_string_equal(e->form.kind, want[i].name);
        CHECK(s->vocabulary == want[i].vocabulary, "%s: %d pieces", want[i].name, s->vocabulary);
        assert_int_equal(s->first_position, want[i].first);
        assert_int_equal(s->types, want[i].types);
        assert_int_equal(e->form.most, want[i].most);
        assert_int_equal(e->form.pooling, want[i].pooling);
        assert_int_equal(s->layers * 1000 + s->width * 10 + s->heads, 2324);
        assert_int_equal(e->has_pooler, i == 0);
        basin_error err = {0};
        if (i) {
            assert_int_equal(bs_pretrained_pool(e, BS_POOL_POOLER, &err), BASIN_EARG);
            CHECK(strstr(err.msg, "it has no pooler"), "%s", err.msg);
        }
        bs_pretrained_free(e);
    }
}

/* All that are listed, and no others. */
static void listed_kinds_are_read(void **state)
{
    char path[ENCODER_PATH];
    (void)state;
    bs_buf  text = encoder_file(encoder_path("bert/config.json", path));
    json_t *config = bs_tree_read(text.data, text.len, 0, NULL);
    for (int i = 0; bs_encoder_kinds[i].name; i++) {
        bs_encoder_form form;
        basin_error     err = {0};
        json_object_set_new(config, "model_type", json_string(bs_encoder_kinds[i].name));
        bs_encoder_config("c", config, &form, &err);
        assert_null(strstr(err.msg, "model_type"));
    }
    json_decref(config);
    bs_buf_free(&text);
}

/* A model keeps the form as text. */
static void forms_are_kept(void **state)
{
    (void)state;
    for (int i = 0; i < ENCODERS; i++) {
        bs_pretrained  *e = case_open(encoder_names[i]);
        bs_encoder_form again;
        bs_buf          one, two;
        basin_error     err = {0};
        bs_buf_init(&one, 4096);
        bs_buf_init(&two, 4096);
        bs_encoder_form_write(&e->form, &one);
        CHECK(bs_encoder_form_read("model", one.data, one.len, &again, &err) == BASIN_OK, "%s",
              err.msg);
        bs_encoder_form_write(&again, &two);
        assert_string_equal(one.data, two.data);
        char *layers = strstr(one.data, "\"layers\": 2");
        assert_non_null(layers);
        layers[strlen("\"layers\": ")] = '0';
        assert_int_equal(bs_encoder_form_read("model", one.data, one.len, &again, &err),
                         BASIN_EDATA);
        assert_string_equal(err.msg, "model: describes no encoder that Basin writes");
        bs_buf_free(&one);
        bs_buf_free(&two);
        bs_pretrained_free(e);
    }
}

/* Adapters and other nets keep their values; of two parts each takes what it has. */
static void only_what_is_there_is_filled(void **state)
{
    bs_pretrained *e = case_open("distilbert");
    bs_graph      *g = bs_graph_new();
    bs_params     *p = bs_params_new();
    const bs_init  nine = bs_init_constant(9);
    (void)state;
    bs_param_frozen(g, p, "encoder/word", bs_shape2(100, 32), nine);
    bs_param(g, p, "net/encoder/1/qkv/b", bs_shape1(96), nine);
    bs_param(g, p, "net/encoder/1/adapter/up/b", bs_shape1(32), nine);
    assert_int_equal(bs_params_allocate(p, device_here(), 1, NULL), BASIN_OK);
    assert_int_equal(bs_pretrained_fill(e, p, "net/encoder/", NULL), BASIN_OK);
    const real *value = host_of(p->block.value);
    assert_true(value[bs_params_find(p, "encoder/word")->offset] == 9);
    assert_true(value[bs_params_find(p, "net/encoder/1/adapter/up/b")->offset] == 9);
    const bs_tensor *k =
        bs_safetensors_find(e->file, "distilbert.transformer.layer.1.attention.k_lin.bias");
    float one;
    assert_true(bs_tensor_floats(k, 3, 1, &one));
    assert_true(value[bs_params_find(p, "net/encoder/1/qkv/b")->offset + 32 + 3] == (real)one);
    bs_params_free(p);
    bs_graph_free(g);
    bs_pretrained_free(e);
}

/* Models keep halves: what is read is rounded, what is trained is rounded later. */
static void numbers_become_halves(void **state)
{
    bs_pretrained *e = case_open("bert");
    bs_graph      *g = bs_graph_new();
    bs_params     *p = bs_params_new();
    const bs_init  odd = bs_init_constant(1 + 0x1p-11 + 0x1p-13), large = bs_init_constant(1e5);
    bool           changed;
    uint16_t       half[32];
    (void)state;
    assert_true(bs_pretrained_has("encoder/word") && bs_pretrained_has("net/encoder/1/up/W"));
    assert_false(bs_pretrained_has("net/encoder/1/adapter/up/W") || bs_pretrained_has("net/T/W") ||
                 bs_pretrained_has("net/encoder") || bs_pretrained_has("encoder/scale"));
    bs_param_frozen(g, p, "encoder/norm/bias", bs_shape1(32), odd);
    bs_param(g, p, "net/encoder/1/up/b", bs_shape1(64), odd);
    bs_param(g, p, "net/encoder/1/mix/b", bs_shape1(32), large);
    bs_param(g, p, "net/T/b", bs_shape1(32), odd);
    assert_int_equal(bs_params_allocate(p, device_here(), 1, NULL), BASIN_OK);
    const real *frozen = host_of(p->block.value), *trained = frozen, *other = frozen;
    frozen += bs_params_find(p, "encoder/norm/bias")->offset;
    trained += bs_params_find(p, "net/encoder/1/up/b")->offset;
    other += bs_params_find(p, "net/T/b")->offset;
    assert_int_equal(bs_pretrained_round(p, &changed, NULL), BASIN_OK);
    assert_true(changed && frozen[31] == (real)(1 + 0x1p-10) && trained[63] == frozen[31]);
    assert_true(other[0] == (real)(1 + 0x1p-11 + 0x1p-13));
    assert_int_equal(bs_pretrained_round(p, &changed, NULL), BASIN_OK);
    assert_false(changed);
    assert_true(bs_pretrained_halves(frozen, 32, half) && half[31] == 0x3C01);
    const real *big = host_of(p->block.value);
    assert_false(
        bs_pretrained_halves(big + bs_params_find(p, "net/encoder/1/mix/b")->offset, 32, half));
    static real many[5000]; /* more than are rounded at once */
    for (int i = 0; i < 5000; i++)
        many[i] = (real)((1 + 0x1p-11 + 0x1p-13) * (i < 4000 ? 1 : 2));
    assert_true(bs_pretrained_round_numbers(many, 5000));
    assert_true(many[3999] == (real)(1 + 0x1p-10) && many[4999] == (real)(2 + 0x1p-9));
    e->halves = true;
    assert_int_equal(bs_pretrained_fill(e, p, "net/encoder/", NULL), BASIN_OK);
    assert_int_equal(bs_pretrained_round(p, &changed, NULL), BASIN_OK);
    assert_false(changed);
    bs_params_free(p);
    bs_graph_free(g);
    bs_pretrained_free(e);
}

/* ---- what is refused ---- */

static bool opens(const char *folder, basin_error *err)
{
    bs_pretrained *e;
    if (bs_pretrained_open(folder, &e, err) != BASIN_OK)
        assert_null(e);
    bs_pretrained_free(e);
    return e != NULL;
}

static void check_refused(const char *folder, const char *message)
{
    encoder_refused(opens, folder, message);
}

static void wrong_folders_are_refused(void **state)
{
    static const char           config[] = "config.json", pooling[] = "1_Pooling/config.json";
    static const char           weights[] = "model.safetensors";
    static const encoder_change cases[] = {
        {"bert", config, "\"bert\"", "\"modernbert\"",
         "/config.json: its 'model_type' is 'modernbert'; bert, distilbert, roberta and electra "
         "are supported"},
        {"bert", config, "\"model_type\"", "\"model_kind\"",
         "/config.json: its 'model_type' is 'nothing'; bert, distilbert, roberta and electra are "
         "supported"},
        {"bert", config, "\"num_hidden_layers\": 2", "\"num_hidden_layers\": -2",
         "/config.json: 'num_hidden_layers' must be a whole number from 1 to 256"},
        {"bert", config, "\"num_attention_heads\": 4", "\"num_attention_heads\": 5",
         "/config.json: 32 columns cannot be divided among 5 heads"},
        {"bert", config, "\"gelu\"", "\"silu\"",
         "/config.json: its activation is 'silu'; gelu, gelu_new, gelu_pytorch_tanh, gelu_fast and "
         "relu are supported"},
        {"bert", config, "1e-12", "0", "/config.json: 'layer_norm_eps' must be between 0 and 1"},
        {"bert", config, "\"layer_norm_eps\"",
         "\"position_embedding_type\": \"relative_key\", \"e\"",
         "/config.json: its positions are 'relative_key'; only 'absolute' ones are supported"},
        {"bert", config, "\"layer_norm_eps\"", "\"embedding_size\": 16, \"e\"",
         "/config.json: 'embedding_size' is 16, but 'hidden_size' 32; encoders that project their "
         "words are not supported"},
        {"bert", config, "\"layer_norm_eps\"", "\"is_decoder\": true, \"e\"",
         "/config.json: it is a decoder, not an encoder"},
        {"roberta", config, "\"max_position_embeddings\": 40", "\"max_position_embeddings\": 2",
         "/config.json: 2 positions leave none for a document, which begins at the one of "
         "number 2"},
        {"bert", config, "{", "[", "/config.json:2: is not JSON: ']' expected near ':'"},
        {"bert", config, NULL, "[]", "/config.json: is not a JSON object"},
        {"bert", config, "", NULL,
         ": has no config.json; an encoder is a folder with config.json, model.safetensors and "
         "tokenizer.json or vocab.txt"},
        {"bert", pooling, "\"pooling_mode_cls_token\": false", "\"pooling_mode_cls_token\": true",
         "/1_Pooling/config.json: 2 kinds of pooling are chosen; exactly one is supported"},
        {"bert", pooling, "\"pooling_mode_mean_sqrt_len_tokens\": false",
         "\"pooling_mode_mean_sqrt_len_tokens\": true",
         "/1_Pooling/config.json: 'pooling_mode_mean_sqrt_len_tokens' is not supported; pooling by "
         "mean, first piece (cls) or maximum is"},
        {"bert", "tokenizer.json", "", NULL,
         ": has no tokeniser: neither tokenizer.json nor vocab.txt, nor vocab.json with "
         "merges.txt"},
        {"bert", weights, "", NULL, ": has no model.safetensors"},
        {"bert", weights, NULL, "",
         "/model.safetensors: not a safetensors file: only 0 bytes long"},
        {"bert", config, "\"vocab_size\": 100", "\"vocab_size\": 99",
         ": its tokeniser has 100 pieces, but its table of words only 99 rows"},
        {"bert", config, "\"vocab_size\": 100", "\"vocab_size\": 30522",
         ": its tokeniser has only 100 pieces, its table of words 30522 rows: they do not belong "
         "together"},
        {"bert", config, "\"vocab_size\": 100", "\"vocab_size\": 101",
         "/model.safetensors: tensor 'bert.embeddings.word_embeddings.weight' is [100, 32]; "
         "config.json makes it [101, 32]"},
        {"bert", config, "\"intermediate_size\": 64", "\"intermediate_size\": 48",
         "/model.safetensors: tensor 'bert.encoder.layer.0.intermediate.dense.weight' is [64, 32]; "
         "config.json makes it [48, 32]"},
        {"bert", config, "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3",
         "/model.safetensors: there is no tensor "
         "'bert.encoder.layer.2.attention.self.query.weight'"},
        {"bert", config, "\"type_vocab_size\": 2", "\"type_vocab_size\": 1",
         "/model.safetensors: tensor 'bert.embeddings.token_type_embeddings.weight' is [2, 32]; "
         "config.json makes it [1, 32]"},
    };
    (void)state;
    encoder_changes_refused(opens, cases, sizeof cases / sizeof cases[0]);
    check_refused("/no/such/encoder", ": there is no such folder of an encoder");
}

static void other_files_are_refused(void **state)
{
    char folder[ENCODER_PATH];
    (void)state;
    encoder_copy("roberta", folder);
    encoder_edit(folder, "model.safetensors", "", NULL);
    encoder_edit(folder, "pytorch_model.bin", NULL, "PK");
    check_refused(folder, ": pytorch_model.bin is a program, not read here; save "
                          "model.safetensors, in Python by "
                          "AutoModel.from_pretrained(DIR).save_pretrained(DIR, "
                          "safe_serialization=True)");
    encoder_edit(folder, "model-00001-of-00002.safetensors", NULL, "");
    encoder_edit(folder, "model-00002-of-00002.safetensors", NULL, "");
    check_refused(folder, ": has no model.safetensors, but several other files of that kind");
    encoder_edit(folder, "model.safetensors.index.json", NULL, "{}");
    check_refused(folder, ": its tensors are in several files; save them as one, in Python by "
                          "AutoModel.from_pretrained(DIR).save_pretrained(DIR, "
                          "max_shard_size=\"100GB\")");
    encoder_remove(folder);
}

/* Writes the tensors of a folder again, one of them changed. */
static void change_tensor(const char *folder, const char *name, const bs_tensor *now)
{
    char            path[2 * ENCODER_PATH];
    bs_safetensors *f;
    bs_tensor       t[80];
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    assert_int_equal(bs_safetensors_open(path, &f, NULL), BASIN_OK);
    const int n = bs_safetensors_count(f);
    assert_true(n < 80);
    for (int i = 0; i < n; i++) {
        t[i] = *bs_safetensors_at(f, i);
        if (strcmp(t[i].name, name) == 0)
            t[i] = *now;
    }
    assert_int_equal(bs_safetensors_write(path, t, n, NULL, 0, NULL), BASIN_OK);
    bs_safetensors_close(f);
}

static void wrong_tensors_are_refused(void **state)
{
    static const char    bias[] = "bert.encoder.layer.1.output.dense.bias";
    static const float   line[64];
    static const int64_t numbers[32];
    static const struct {
        bs_tensor   t;
        const char *message;
    } cases[] = {
        {{"bert.encoder.layer.1.output.dense.bios", BS_DTYPE_F32, 1, {32}, line, 128},
         "/model.safetensors: there is no tensor 'bert.encoder.layer.1.output.dense.bias'"},
        {{bias, BS_DTYPE_F32, 2, {2, 32}, line, 256},
         "/model.safetensors: tensor 'bert.encoder.layer.1.output.dense.bias' is [2, 32]; "
         "config.json makes it [32]"},
        {{bias, BS_DTYPE_F32, 0, {0}, line, 4},
         "/model.safetensors: tensor 'bert.encoder.layer.1.output.dense.bias' is []; config.json "
         "makes it [32]"},
        {{bias, BS_DTYPE_I64, 1, {32}, numbers, 256},
         "/model.safetensors: tensor 'bert.encoder.layer.1.output.dense.bias' has numbers of type "
         "I64; F32, F16 or BF16 is needed"},
        {{"b.embeddings.word_embeddings.weight", BS_DTYPE_F32, 1, {32}, line, 128},
         "/model.safetensors: there are two encoders, with the tensors "
         "'bert.embeddings.word_embeddings.weight' and 'b.embeddings.word_embeddings.weight'"},
    };
    char folder[ENCODER_PATH];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        encoder_copy("bert", folder);
        change_tensor(folder, bias, &cases[i].t);
        check_refused(folder, cases[i].message);
        encoder_remove(folder);
    }
    encoder_copy("bert", folder);
    change_tensor(folder, "bert.embeddings.word_embeddings.weight",
                  &(bs_tensor){"words", BS_DTYPE_F32, 1, {32}, line, 128});
    check_refused(folder, "/model.safetensors: there is no tensor "
                          "'embeddings.word_embeddings.weight', with or without a prefix");
    encoder_remove(folder);
}

static void infinite_numbers_are_found(void **state)
{
    static float   line[32] = {[5] = INFINITY};
    char           folder[ENCODER_PATH];
    bs_pretrained *e;
    basin_error    err = {0};
    bs_graph      *g = bs_graph_new();
    bs_params     *p = bs_params_new();
    (void)state;
    encoder_copy("bert", folder);
    change_tensor(folder, "bert.embeddings.LayerNorm.beta",
                  &(bs_tensor){"bert.embeddings.LayerNorm.beta", BS_DTYPE_F32, 1, {32}, line, 128});
    CHECK(bs_pretrained_open(folder, &e, &err) == BASIN_OK, "%s", err.msg);
    bs_param(g, p, "encoder/norm/bias", bs_shape1(32), bs_init_zero());
    assert_int_equal(bs_params_allocate(p, device_here(), 1, NULL), BASIN_OK);
    assert_int_equal(bs_pretrained_fill(e, p, "encoder/", &err), BASIN_EDATA);
    CHECK(strstr(err.msg, "tensor 'bert.embeddings.LayerNorm.beta' holds inf at 5"), "%s", err.msg);
    bs_params_free(p);
    bs_graph_free(g);
    bs_pretrained_free(e);
    encoder_remove(folder);
}

/* The same numbers have the same sum, whatever else is in the folder; others have another. */
static void encoders_are_known_by_their_numbers(void **state)
{
    static const float line[32];
    char               folder[ENCODER_PATH], sum[3][BS_ENCODER_HASH];
    bs_pretrained     *e = case_open("bert");
    (void)state;
    assert_int_equal(bs_pretrained_hash(e, sum[0], NULL), BASIN_OK);
    bs_pretrained_free(e);
    encoder_copy("bert", folder);
    for (int i = 1; i < 3; i++) {
        const bs_tensor zero = {"cls.predictions.bios", BS_DTYPE_F32, 1, {32}, line, 128};
        change_tensor(folder, i == 1 ? "" : "cls.predictions.bias", &zero);
        assert_int_equal(bs_pretrained_open(folder, &e, NULL), BASIN_OK);
        assert_int_equal(bs_pretrained_hash(e, sum[i], NULL), BASIN_OK);
        bs_pretrained_free(e);
    }
    assert_string_equal(sum[0], sum[1]);
    assert_string_not_equal(sum[0], sum[2]);
    encoder_remove(folder);
}

static void memory_may_run_out(void **state)
{
    char       path[ENCODER_PATH];
    const long live = bs_mem_live();
    (void)state;
    encoder_path("bert", path);
    for (long n = 1;; n++) {
        bs_pretrained *e;
        bs_mem_fail_at(n);
        const basin_status s = bs_pretrained_open(path, &e, NULL);
        bs_mem_fail_at(0);
        bs_pretrained_free(e);
        assert_int_equal(bs_mem_live(), live);
        if (!s)
            break;
        assert_int_equal(s, BASIN_ENOMEM);
    }
}

static void corpus_never_breaks_a_config(void **state)
{
    (void)state;
    replay_corpus("encoder", fuzz_encoder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_states_are_those_of_the_reference),
        cmocka_unit_test(folders_say_what_they_are),
        cmocka_unit_test(listed_kinds_are_read),
        cmocka_unit_test(forms_are_kept),
        cmocka_unit_test(only_what_is_there_is_filled),
        cmocka_unit_test(numbers_become_halves),
        cmocka_unit_test(wrong_folders_are_refused),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(wrong_tensors_are_refused),
        cmocka_unit_test(infinite_numbers_are_found),
        cmocka_unit_test(encoders_are_known_by_their_numbers),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(corpus_never_breaks_a_config),
    };
    return cmocka_run_group_tests_name("pretrained", tests, NULL, NULL);
}
